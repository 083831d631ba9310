#include "calc.hpp"

static std::unique_ptr<Node> join(char op, std::unique_ptr<Node> left, std::unique_ptr<Node> right) {
  auto node = std::make_unique<Node>();
  node->op = op;
  node->left = std::move(left);
  node->right = std::move(right);
  return node;
}

bool Parser::take(const char *sign) {
  if (tokens_[at_].kind != Kind::sign || tokens_[at_].text != sign) return false;
  at_++;
  return true;
}

std::unique_ptr<Node> Parser::sum() {
  auto left = product();
  for (;;) {
    if (take("+")) left = join('+', std::move(left), product());
#if FAULT == 1
    else if (take("-")) left = join('-', std::move(left), sum());
#else
    else if (take("-")) left = join('-', std::move(left), product());
#endif
    else return left;
  }
}

std::unique_ptr<Node> Parser::product() {
  auto left = power();
  for (;;) {
    if (take("*")) left = join('*', std::move(left), power());
    else if (take("/")) left = join('/', std::move(left), power());
    else return left;
  }
}

std::unique_ptr<Node> Parser::power() {
  auto base = value();
  return take("^") ? join('^', std::move(base), power()) : std::move(base);
}

std::unique_ptr<Node> Parser::value() {
  if (take("(")) {
    auto inner = sum();
    take(")");
    return inner;
  }
  auto node = std::make_unique<Node>();
  const Token &token = tokens_[at_++];
  node->op = token.kind == Kind::number ? '#' : '$';
  if (token.kind == Kind::number) node->value = std::stod(token.text);
  else node->name = token.text;
  return node;
}
