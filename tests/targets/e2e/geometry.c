// A shared library of its own: two functions a program calls through the PLT.
__attribute__((noinline)) double geometry_area(double width, double height) { return width * height; }
int geometry_sides(int kind) { return kind + 3; }
