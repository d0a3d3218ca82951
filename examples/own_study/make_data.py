"""Writes pets.csv: 1500 animals, some of them without a name for their food."""

import random

random.seed(1)
with open("pets.csv", "w") as file:
    file.write("weight,length,food,indoors,kind\n")
    for _ in range(1500):
        kind = random.choice(["cat", "cat", "dog", "rabbit"])
        weight = {"cat": 4, "dog": 20, "rabbit": 2}[kind] * random.uniform(0.4, 2.0)
        length = {"cat": 46, "dog": 80, "rabbit": 35}[kind] * random.uniform(0.7, 1.3)
        food = "hay" if kind == "rabbit" else random.choice(["dry", "wet", ""])
        indoors = random.choice(["yes", "no"])
        file.write(f"{weight:.2f},{length:.1f},{food},{indoors},{kind}\n")
