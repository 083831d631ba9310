// Hundreds of functions that are inlined everywhere, most of them in a namespace of the library's name.
volatile int seed;
namespace std {
template <int N> struct Step { [[gnu::always_inline]] static inline int library(int a) { return a * N + seed; } };
} // namespace std
namespace app {
template <int N> struct Step { [[gnu::always_inline]] static inline int own(int a) { return std::Step<N>::library(a) ^ seed; } };
template <int N> [[gnu::always_inline]] inline int all(int a)
{
  seed = a;
  if constexpr (N == 0) return a;
  else return all<N - 1>(Step<N>::own(a));
}
} // namespace app

int main(int argc, char **) { return app::all<160>(argc) & 1; }
