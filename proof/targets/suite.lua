-- Coroutines, errors caught and not, metatables, closures, patterns, sorting, garbage: longjmp at every turn.
local out = {}
local function say(...) print(...) end
local function fib(n) return n < 2 and n or fib(n - 1) + fib(n - 2) end
say("fib", fib(17))
local gen = coroutine.wrap(function() for i = 1, 300 do coroutine.yield(i * i) end return "end" end)
local sum = 0
for _ = 1, 300 do sum = sum + gen() end
say("squares", sum, gen())
for i = 1, 100 do
  local ok, why = pcall(function(n) if n % 3 == 0 then error({code = n}) elseif n % 3 == 1 then error("plain " .. n) end return n end, i)
  out[#out + 1] = ok and why or (type(why) == "table" and why.code or why:gsub("^.-:%d+: ", ""))
end
say(table.concat(out, " "))
local V = setmetatable({}, {__call = function(c, x) return setmetatable({x = x}, c) end})
V.__index = V; V.__add = function(a, b) return V(a.x + b.x) end; V.__lt = function(a, b) return a.x < b.x end
V.__tostring = function(a) return "<" .. a.x .. ">" end; V.__close = function(a) say("closed", a.x) end
local list = {}
for i = 1, 500 do list[i] = V((i * 7919) % 1009) end
table.sort(list)
say(tostring(list[1]), tostring(list[500]), tostring(list[1] + list[2]))
do local c <close> = V(5) end
say(("the quick brown fox"):gsub("(%w+) (%w+)", "%2 %1"), ("x"):rep(20, ","), string.format("%q %5.2f %x", "a\nb", 3.14159, 255))
local weak = setmetatable({}, {__mode = "k"})
for i = 1, 2000 do weak[{}] = i end
collectgarbage()
say(next(weak), select("#", table.unpack(list, 1, 200)), math.tointeger(2^40), 7 // -2, 7 % -3)
local co = coroutine.create(function() local function deep(n) if n == 0 then coroutine.yield("deep") error("up") end return deep(n - 1) + 1 end return deep(150) end)
say(coroutine.resume(co)); say(coroutine.status(co)); say((select(2, coroutine.resume(co)):gsub("^.-:%d+: ", "")))
say(pcall(string.rep, "x", -1), load("return 1 +")); say(#string.pack("i4z", 7, "abc"), utf8.char(228, 8364))
error("the end")
