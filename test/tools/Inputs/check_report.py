# SPDX-License-Identifier: Apache-2.0
"""check_report.py FOLDER PAGE...: opens pages of reports in a browser, looks whether each view shows what is in
the page's data, uses them as a person would, and leaves pictures in the folder."""

import json
import pathlib
import sys

from browser import Browser


def read_data(path):
    page = path.read_text(encoding="utf-8")
    return json.loads(page.split('<script type="application/json" id="data">')[1].split("</script>")[0])


def count(browser, selector):
    return browser.run(f"document.querySelectorAll({json.dumps(selector)}).length")


def click(browser, selector):
    found = browser.run(f"""(() => {{
        const element = document.querySelector({json.dumps(selector)});
        element?.dispatchEvent(new MouseEvent("click", {{bubbles: true}}));
        return element !== null; }})()""")
    assert found, selector
    browser.settle()


def show(browser, view):
    click(browser, f"#tab-{view}")
    assert browser.run(f"document.getElementById('{view}').offsetHeight") > 100, view


def get_region(node):
    return node["parent"], node["region"]


def check_strip(browser, data):
    launches = sum(node["kind"] == "launch" for node in data["nodes"])
    assert count(browser, "#order-strip rect") == launches
    widths = browser.run("[...document.querySelectorAll('#order-strip rect')].map(cell => cell.getBoundingClientRect().width)")
    assert all(width > 0 for width in widths) and sum(widths) <= browser.run("innerWidth"), widths


def check_graph(browser, data):
    """Opens every scope that is not large, and compares boxes and edges with the data."""
    show(browser, "graph")
    nodes, ports = data["nodes"], ("argument", "constant", "result")
    scopes = {}
    for number, node in enumerate(nodes):
        if "parent" in node:
            scopes.setdefault(get_region(node), set()).add(number)
    main = next(i for i, node in enumerate(nodes) if node["kind"] == "function" and node["name"] == "main")
    for (parent, region), inside in scopes.items():
        kernels = [i for i in inside if nodes[i]["kind"] == "launch"]
        running = [i for i in inside if nodes[i]["kind"] not in ports]
        if kernels:
            click(browser, f'#order-strip [data-node="{kernels[0]}"]')
        elif (parent, region) == (main, 0):
            click(browser, "#graph-bar .path button")
        else:
            continue
        drawn = {int(i) for i in browser.run("[...document.querySelectorAll('#graph-drawing .box[data-node]')].map(box => box.dataset.node)")}
        if len(running) <= 60:
            assert drawn >= set(running) and drawn <= inside, (parent, region, drawn, inside)
        else:
            assert 1 < len(drawn & set(running)) <= 40, len(drawn)
        if kernels:
            assert kernels[0] in drawn
            assert count(browser, f'#graph-drawing .selected[data-node="{kernels[0]}"]') == 1
            instructions = data["kernels"][nodes[kernels[0]]["kernel"]]["instructions"]
            rows = count(browser, f'#graph-drawing [data-node="{kernels[0]}"] text.mono')
            assert rows == len(instructions) or 0 < rows <= 24 < len(instructions), (rows, len(instructions))
        direct = {(edge["from"], edge["to"]) for edge in data["edges"]
                  if edge["from"] in drawn and edge["to"] in drawn and not edge.get("leaves")}
        shown = set(map(tuple, browser.run("""[...document.querySelectorAll('#graph-drawing .edge')]
            .map(edge => [Number(edge.dataset.from), Number(edge.dataset.to)])""")))
        assert direct <= shown, (parent, region, direct - shown)
    # Boxes do not lie on each other.
    boxes = browser.run("""[...document.querySelectorAll('#graph-drawing .box > rect.frame')].map(frame => {
        const {left, right, top, bottom} = frame.getBoundingClientRect(); return [left, right, top, bottom]; })""")
    for i, (left, right, top, bottom) in enumerate(boxes):
        for other_left, other_right, other_top, other_bottom in boxes[:i]:
            assert right <= other_left + 1 or other_right <= left + 1 or bottom <= other_top + 1 or other_bottom <= top + 1


def check_kernels(browser, data):
    show(browser, "kernels")
    assert count(browser, "#kernel-table tbody tr[data-kernel]") == len(data["kernels"])
    if data["profile"]:
        others = [row for row in data["profile"]["rows"] if row["category"] != "kernel"]
        assert count(browser, "#kernel-table tbody tr.other") == len(others)
    # Every schedule is there, and what came second.
    text = browser.run("document.getElementById('kernel-table').textContent")
    for kernel in data["kernels"]:
        assert kernel.get("strategy", "") in text, kernel["name"]
        if "; next: " in kernel.get("remark", ""):
            following = kernel["remark"].split("; next: ")[1]
            assert following.split('"')[1] in text, kernel["name"]
            schedule = following.split("#hlo.schedule<")[1].split(">, ")[0].split('" ')[-1]
            assert schedule in text, (kernel["name"], schedule)
    for name in ("Predicted", "Kernel"):
        browser.run(f"[...document.querySelectorAll('#kernel-table thead button')].find(head => head.textContent === '{name}').click()")
    order = browser.run("[...document.querySelectorAll('#kernel-table tbody tr[data-kernel]')].map(row => Number(row.dataset.kernel))")
    names = [data["kernels"][i]["name"] for i in order]
    assert sorted(names, key=str.lower, reverse=True) == sorted(names, key=str.lower)[::-1]
    browser.run(f"""(() => {{ const field = document.getElementById('kernel-filter');
        field.value = {json.dumps((names or ["x"])[0])}; field.dispatchEvent(new Event('input')); }})()""")
    assert min(1, len(names)) <= count(browser, "#kernel-table tbody tr[data-kernel]") <= len(names)
    browser.run("""(() => { const field = document.getElementById('kernel-filter');
        field.value = ''; field.dispatchEvent(new Event('input')); })()""")


def check_roofline(browser, data):
    show(browser, "roofline")
    computing = [k for k in data["kernels"] if k["flops"] > 0 and k["predicted_seconds"] > 0]
    assert count(browser, "#roofline-drawing .point") == len(computing)
    assert count(browser, "#roofline-drawing .roof") >= len(data["machine"]["levels"])
    # Every dot, and every label, is inside of the drawing.
    outside = browser.run("""(() => { const frame = document.getElementById('roofline-drawing').getBoundingClientRect();
        return [...document.querySelectorAll('#roofline-drawing .point, #roofline-drawing text')].filter(item => {
            const box = item.getBoundingClientRect(), x = (box.left + box.right) / 2, y = (box.top + box.bottom) / 2;
            return x < frame.left || x > frame.right || y < frame.top || y > frame.bottom;
        }).map(item => item.outerHTML); })()""")
    assert not outside, outside


def check_memory(browser, data):
    show(browser, "memory")
    used = [arena for arena in data["arenas"] if arena["buffers"]]
    if not used:
        assert count(browser, "#memory-drawing") == 0
        return
    arena = next((a for a in used if a["function"] == "main"), used[0])
    assert count(browser, "#memory-drawing .buffer") == len(arena["buffers"])
    live = [b for b in arena["buffers"] if b["begin"] <= arena["peak"] < b["end"]]
    assert count(browser, "#memory-drawing .buffer.peak") == len(live)
    assert count(browser, "#memory-peak tbody tr") == len(live)
    assert count(browser, "#memory-drawing .peakline") == 1


def check_apart(browser, data):
    show(browser, "apart")
    assert count(browser, "#apart-table tbody tr") == len(data["not_fused"])


def check_selected(browser, data):
    """What is shown of each kernel, at most twenty of them."""
    show(browser, "kernels")
    for number, kernel in list(enumerate(data["kernels"]))[:20]:
        click(browser, f'#kernel-table tr[data-kernel="{number}"]')
        assert count(browser, f'#kernel-table tr.selected[data-kernel="{number}"]') == 1
        assert browser.run("document.getElementById('selected-name').textContent").startswith(kernel["name"])
        facts = browser.run("document.getElementById('facts').textContent")
        assert all(output in facts for output in kernel["outputs"]) and kernel.get("schedule", "") in facts, facts
        lines = {i["line"] for i in kernel["instructions"] if "line" in i} | {kernel["line"]}
        shown = browser.run("[...document.querySelectorAll('#hlo [data-line]')].map(row => [row.dataset.line, row.lastChild.textContent])")
        assert shown == [[str(line), data["hlo_lines"][str(line)]] for line in sorted(lines)], shown
        functions = [f for f in data["assembly"] if f.get("kernel") == number]
        rows = count(browser, "#assembly .code > div")
        if functions:
            assert rows == min(1500, sum(len(f["lines"]) for f in functions)), rows
            if any(line in lines for f in functions for _, line in f["lines"][:1500]):
                line = next(line for f in functions for _, line in f["lines"] if line in lines)
                click(browser, f'#hlo [data-line="{line}"]')
                assert count(browser, "#assembly .lit") > 0 and count(browser, "#hlo .lit") == 1
        else:
            inlined = [1 for f in data["assembly"] if "kernel" not in f for _, line in f["lines"] if line in lines]
            assert rows == min(1500, len(inlined)), (rows, len(inlined))
        places = {i["place"] for i in kernel["instructions"] if "place" in i} or {kernel["place"]} if "place" in kernel else set()
        assert count(browser, "#python .place") == len(places), places


def check_keys(browser):
    """The graph without a mouse."""
    show(browser, "graph")
    browser.run("document.querySelector('#graph-drawing [tabindex=\"0\"]').focus()")
    for key in ("ArrowDown", "ArrowRight", "ArrowUp", "Enter"):
        browser.call("Input.dispatchKeyEvent", type="keyDown", key=key, code=key)
        browser.call("Input.dispatchKeyEvent", type="keyUp", key=key, code=key)
        browser.settle()
    assert count(browser, "#graph-drawing .box") > 0
    # One item of each drawing is in the tab order.
    assert count(browser, '#graph-drawing [tabindex="0"]') == 1
    assert count(browser, '#order-strip [tabindex="0"]') == min(1, count(browser, "#order-strip rect"))


def check_page(path, folder):
    data = read_data(path)
    with Browser() as browser:
        browser.set_theme("light")
        browser.open(path)
        assert browser.run("document.title").startswith(data["module"])
        check_strip(browser, data)
        check_graph(browser, data)
        check_kernels(browser, data)
        check_roofline(browser, data)
        check_memory(browser, data)
        check_apart(browser, data)
        check_selected(browser, data)
        check_keys(browser)
        pictures = set()
        for theme in ("light", "dark"):
            browser.set_theme(theme)
            for view in ("graph", "kernels", "roofline", "memory", "apart"):
                show(browser, view)
                pictures.add(browser.take_screenshot(folder / f"{path.stem}-{view}-{theme}.png"))
        assert len(pictures) == 10, "views or themes look alike"
        assert not browser.messages, browser.messages
        # No markup but the page's own, whatever names are.
        assert count(browser, "img, iframe, object, embed, script[src], link") == 0 and count(browser, "script") == 2


if __name__ == "__main__":
    for page in sys.argv[2:]:
        check_page(pathlib.Path(page), pathlib.Path(sys.argv[1]))
        print(f"{page}: ok")
