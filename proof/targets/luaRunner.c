/* Runs a Lua file: what Lua's own program does. */
#include <lauxlib.h>
#include <lualib.h>
#include <stdio.h>

int main(int argc, char **argv) {
  lua_State *state = luaL_newstate();
  if (!state || argc < 2) return 2;
  luaL_openlibs(state);
  const int failed = luaL_dofile(state, argv[1]);
  if (failed) printf("error: %s\n", lua_tostring(state, -1));
  lua_close(state);
  return failed;
}
