#include "calc.hpp"
#include <cmath>
#include <stdexcept>

double lookUp(const std::string &name, const Variables &variables) {
  auto found = variables.find(name);
  if (found == variables.end()) throw std::runtime_error("unknown: " + name);
  return found->second;
}

double evaluate(const Node &node, const Variables &variables) {
  if (node.op == '#') return node.value;
  if (node.op == '$') return lookUp(node.name, variables);
  double left = evaluate(*node.left, variables);
  double right = evaluate(*node.right, variables);
  switch (node.op) {
    case '+': return left + right;
    case '-': return left - right;
    case '*': return left * right;
    case '/': return left / right;
    default: return std::pow(left, right);
  }
}

double calculate(const std::string &text, const Variables &variables) {
  Parser parser(text);
  return evaluate(*parser.sum(), variables);
}
