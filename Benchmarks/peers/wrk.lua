-- A script for wrk that prints the result for the benchmark. With cookies after "--" it adds and removes hearts: each
-- request is from the next user. Rounds of adding hearts alternate with rounds of removing them, so that every request
-- changes something.
--
--   wrk … -s wrk.lua URL [-- FIRST-POST LAST-POST COOKIE …]

local cookies, first, last, turn = {}, 1, 1, 0

function init(arguments)
  first, last = tonumber(arguments[1]) or 1, tonumber(arguments[2]) or 1
  for index = 3, #arguments do cookies[#cookies + 1] = arguments[index] end
  if #cookies == 0 then return end
  request = function()
    local posts = last - first + 1
    local cookie = cookies[turn % #cookies + 1]
    local post = first + math.floor(turn / #cookies) % posts
    local round = math.floor(turn / (#cookies * posts))
    turn = turn + 1
    return wrk.format(
      round % 2 == 0 and "PUT" or "DELETE", "/posts/" .. post .. "/favourite",
      { ["Cookie"] = cookie, ["Content-Length"] = "0" })
  end
end

function done(summary, latency)
  local errors = summary.errors
  local failed = errors.connect + errors.read + errors.write + errors.status + errors.timeout
  if failed > 0 then
    io.write(string.format("wrk: %d requests failed, %d of them by their status\n", failed, errors.status))
    return
  end
  io.write(string.format(
    '{"requests":%d,"seconds":%.6f,"bytes":%d}\n', summary.requests, summary.duration / 1e6, summary.bytes))
end
