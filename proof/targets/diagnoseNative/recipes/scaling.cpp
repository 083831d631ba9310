#include "recipes.hpp"

/** Sixteen spoons are a cup. */
Amount inCups(Amount spoons) { return times(spoons, {1, 16}); }

static bool isMuch(Amount spoons) {
#if FAULT == 2
  return spoons.top >= 8;
#else
  return spoons.top >= 8 * spoons.bottom;
#endif
}

Recipe scaled(const Recipe &recipe, int persons) {
  Recipe made{persons, {}};
  for (const auto &[name, spoons] : recipe.ingredients)
    made.ingredients.push_back({name, times(spoons, {persons, recipe.persons})});
  return made;
}

static std::string lineOf(const Ingredient &ingredient) {
  if (isMuch(ingredient.spoons)) return written(inCups(ingredient.spoons)) + " cups " + ingredient.name;
  return written(ingredient.spoons) + " spoons " + ingredient.name;
}

std::vector<std::string> shoppingList(const Recipe &recipe, int persons) {
  std::vector<std::string> lines;
  for (const auto &ingredient : scaled(recipe, persons).ingredients) lines.push_back(lineOf(ingredient));
  return lines;
}
