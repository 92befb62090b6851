# SPDX-License-Identifier: Apache-2.0
"""The text that the network learns: short stories, told by chance, one a line.

A story keeps to what it has said: who is who, what was lost, what colour it has. A network that goes
on with one has to look back for that."""

import random

HEROES = [("Anna", "she"), ("Ben", "he"), ("Clara", "she"), ("David", "he"), ("Emma", "she"), ("Felix", "he"),
          ("Greta", "she"), ("Hugo", "he"), ("Ida", "she"), ("Jonas", "he"), ("Klara", "she"), ("Leo", "he")]
ANIMALS = ["badger", "bear", "cat", "duck", "fox", "goose", "hare", "mole", "mouse", "otter", "owl", "squirrel"]
COLOURS = ["blue", "brown", "green", "grey", "red", "white", "yellow"]
# What can be done with a thing together.
THINGS = {"ball": "played with", "boat": "sailed", "book": "read", "cake": "ate", "drum": "played",
          "hat": "tried on", "kite": "flew", "lamp": "lit", "pie": "ate", "sledge": "rode on"}
PLACES = ["behind the hill", "by the river", "in the forest", "in the garden", "near the mill", "on the island",
          "under the bridge", "under the oak"]
TIMES = ["At noon", "In the evening", "In the morning", "One cold day", "One day", "One summer day"]


def tell(chance: random.Random) -> str:
    """A story of 150 to 350 characters."""
    (hero, they), (friend, _) = chance.sample(HEROES, 2)
    animal, other = chance.sample(ANIMALS, 2)
    home, place = chance.sample(PLACES, 2)
    colour, thing = chance.choice(COLOURS), chance.choice(list(THINGS))
    They, its = they.capitalize(), {"she": "her", "he": "his"}[they]
    begin = f"{hero} the {animal} lived {home}. {chance.choice(TIMES)} {they} "
    together = chance.choice([f"Then {hero} and {friend} {THINGS[thing]} the {thing} together.",
                              f"They {THINGS[thing]} the {thing} until it was dark.",
                              f"Then {friend} went home, and {hero} was happy."])
    found = (f"found a {colour} {thing} {place}. \"Whose {thing} is this?\" {they} asked. "
             f"\"It is mine,\" said {friend} the {other}. {They} gave {friend} the {colour} {thing}. ")
    lost = (f"lost {its} {colour} {thing}. {They} looked for it {place}, but it was not there. "
            f"{friend} the {other} had found it. \"Here is your {colour} {thing},\" said {friend}. ")
    made = (f"made a {colour} {thing} for {friend} the {other}. {They} took it to {friend}, who lived {place}. "
            f"\"What a fine {thing}!\" said {friend}. \"I always wanted a {colour} {thing}.\" ")
    return begin + chance.choice([found, lost, made]) + together
