-- Loops hot enough for the compiler, strings, closures, coroutines, an error that is caught and one that is not.
local sum = 0
for i = 1, 300000 do sum = sum + i % 7 * 3 end
print(sum)
local words = {}
for i = 1, 2000 do words[#words + 1] = ("%05d"):format(i * 7919 % 10007) end
table.sort(words)
print(words[1], words[1000], table.concat(words):len())
local function numbers(n) return coroutine.wrap(function() for i = 1, n do coroutine.yield(i * i) end end) end
local squares = 0
for square in numbers(1000) do squares = squares + square end
print(squares, (pcall(function() error({ code = 4 }) end)))
print(select(2, pcall(error, "caught")), ("a1b22"):gsub("%d+", function(d) return "<" .. d .. ">" end))
local fast, last = 0, nil
for i = 1, 100000 do last = { i, last and i - 1 } fast = fast + #last end
print(fast)
os.exit(5)
