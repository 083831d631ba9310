#pragma once
#include <string>
#include <vector>

/** An amount that is never rounded: whole and thirds. */
struct Amount {
  int top;
  int bottom;
};

int common(int one, int other);
Amount reduced(Amount amount);
Amount times(Amount amount, Amount factor);
std::string written(Amount amount);

struct Ingredient {
  std::string name;
  Amount spoons;
};

struct Recipe {
  int persons;
  std::vector<Ingredient> ingredients;
};

Amount inCups(Amount spoons);
Recipe scaled(const Recipe &recipe, int persons);
std::vector<std::string> shoppingList(const Recipe &recipe, int persons);
