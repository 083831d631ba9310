-- Lua 5.1.5: each optional item of a pattern takes a call of the matcher, without a limit.
print(string.find(string.rep("a", 300000), string.rep("a?", 300000) .. "a"))
