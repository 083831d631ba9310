// What generated programs make values with, add them up and write them as JSON by.
#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <list>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

using Text = std::string;

/** Numbers that follow from one another. */
struct Numbers {
  uint64_t state;
  uint64_t next() {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return state >> 33;
  }
};

/** made, sum and json of a type. */
template <class T> struct Of;

#define NUMBER(T)                                                            \
  template <> struct Of<T> {                                                 \
    static T made(Numbers &g) { return static_cast<T>(g.next() % 100); }     \
    static uint64_t sum(T v) { return static_cast<uint64_t>(v); }            \
    static void json(T v, Text &o) { o += std::to_string(v); }               \
  };
NUMBER(uint16_t)
NUMBER(int16_t)
NUMBER(int)
NUMBER(unsigned)
NUMBER(long)
NUMBER(unsigned long)
NUMBER(long long)

#define REAL(T)                                                                              \
  template <> struct Of<T> {                                                                 \
    static T made(Numbers &g) { return static_cast<T>(g.next() % 100) / 4 + T(0.25); }       \
    static uint64_t sum(T v) { return static_cast<uint64_t>(v * 4); }                        \
    static void json(T v, Text &o) {                                                         \
      char text[40];                                                                         \
      std::snprintf(text, sizeof text, "%.6g", static_cast<double>(v));                      \
      o += text;                                                                             \
    }                                                                                        \
  };
REAL(float)
REAL(double)

template <> struct Of<bool> {
  static bool made(Numbers &g) { return g.next() % 2; }
  static uint64_t sum(bool v) { return v; }
  static void json(bool v, Text &o) { o += v ? "true" : "false"; }
};

/** Some of them too long to lie in the object itself. */
template <> struct Of<Text> {
  static Text made(Numbers &g) {
    uint64_t number = g.next();
    return (number % 2 ? "text " : "a text on the heap ") + std::to_string(number % 1000);
  }
  static uint64_t sum(std::string_view v) {
    uint64_t all = 0;
    for (char one : v) all += static_cast<unsigned char>(one);
    return all;
  }
  static void json(std::string_view v, Text &o) { o.append("\"").append(v).append("\""); }
};

template <class C, class T> struct OfList {
  static C made(Numbers &g) {
    C all;
    for (uint64_t left = g.next() % 4 + 1; left > 0; left--) all.push_back(Of<T>::made(g));
    return all;
  }
  static uint64_t sum(const C &v) {
    uint64_t all = 0;
    for (const T &one : v) all += Of<T>::sum(one);
    return all;
  }
  static void json(const C &v, Text &o) {
    const char *before = "[";
    for (const T &one : v) {
      o += before;
      Of<T>::json(one, o);
      before = ",";
    }
    o += v.empty() ? "[]" : "]";
  }
};
template <class T> struct Of<std::vector<T>> : OfList<std::vector<T>, T> {};
template <class T> struct Of<std::deque<T>> : OfList<std::deque<T>, T> {};
template <class T> struct Of<std::list<T>> : OfList<std::list<T>, T> {};
template <class T, size_t N> struct Of<std::array<T, N>> : OfList<std::array<T, N>, T> {
  static std::array<T, N> made(Numbers &g) {
    std::array<T, N> all{};
    for (T &one : all) one = Of<T>::made(g);
    return all;
  }
};

template <class T> struct Of<std::map<int, T>> {
  static std::map<int, T> made(Numbers &g) {
    std::map<int, T> all;
    for (uint64_t left = g.next() % 4; left > 0; left--) all.emplace(static_cast<int>(g.next() % 50), Of<T>::made(g));
    return all;
  }
  static uint64_t sum(const std::map<int, T> &v) {
    uint64_t all = 0;
    for (const auto &[key, value] : v) all += static_cast<uint64_t>(key) + Of<T>::sum(value);
    return all;
  }
  static void json(const std::map<int, T> &v, Text &o) {
    const char *before = "{\"";
    for (const auto &[key, value] : v) {
      o.append(before).append(std::to_string(key)).append("\":");
      Of<T>::json(value, o);
      before = ",\"";
    }
    o += v.empty() ? "{}" : "}";
  }
};

template <class T> struct Of<std::optional<T>> {
  static std::optional<T> made(Numbers &g) {
    if (g.next() % 3 == 0) return std::nullopt;
    return Of<T>::made(g);
  }
  static uint64_t sum(const std::optional<T> &v) { return v ? Of<T>::sum(*v) + 1 : 7; }
  static void json(const std::optional<T> &v, Text &o) {
    if (v) Of<T>::json(*v, o);
    else o += "\"none\"";
  }
};

template <class T> struct Of<std::unique_ptr<T>> {
  static std::unique_ptr<T> made(Numbers &g) {
    if (g.next() % 4 == 0) return nullptr;
    return std::make_unique<T>(Of<T>::made(g));
  }
  static uint64_t sum(const std::unique_ptr<T> &v) { return v ? Of<T>::sum(*v) + 1 : 7; }
  static void json(const std::unique_ptr<T> &v, Text &o) {
    if (v) Of<T>::json(*v, o);
    else o += "null";
  }
};

template <class A, class B> struct Of<std::pair<A, B>> {
  static std::pair<A, B> made(Numbers &g) {
    A first = Of<A>::made(g);
    B second = Of<B>::made(g);
    return {std::move(first), std::move(second)};
  }
  static uint64_t sum(const std::pair<A, B> &v) { return Of<A>::sum(v.first) + 3 * Of<B>::sum(v.second); }
  static void json(const std::pair<A, B> &v, Text &o) {
    o += "{\"first\":";
    Of<A>::json(v.first, o);
    o += ",\"second\":";
    Of<B>::json(v.second, o);
    o += '}';
  }
};

/** What a call leaves is looked at: no compiler may leave out what was made for it. */
inline void keep(const void *value) { asm volatile("" : : "r"(value) : "memory"); }
