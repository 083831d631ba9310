-- Lua 5.4.0: the number of a variable argument is negated, which overflows (lua.org/bugs.html).
print(debug.getlocal(1, -0x80000000))
