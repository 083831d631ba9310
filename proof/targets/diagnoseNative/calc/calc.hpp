#pragma once
#include <map>
#include <memory>
#include <string>
#include <vector>

enum class Kind { number, name, sign, end };

struct Token {
  Kind kind;
  std::string text;
};

struct Node {
  char op;
  double value;
  std::string name;
  std::unique_ptr<Node> left;
  std::unique_ptr<Node> right;
};

using Variables = std::map<std::string, double>;

std::vector<Token> tokens(const std::string &text);

class Parser {
 public:
  explicit Parser(const std::string &text) : tokens_(tokens(text)) {}
  std::unique_ptr<Node> sum();

 private:
  std::unique_ptr<Node> product();
  std::unique_ptr<Node> power();
  std::unique_ptr<Node> value();
  bool take(const char *sign);

  std::vector<Token> tokens_;
  size_t at_ = 0;
};

double evaluate(const Node &node, const Variables &variables);
double lookUp(const std::string &name, const Variables &variables);
double calculate(const std::string &text, const Variables &variables = {});
