local M = {}
function M.fill(x)
  if x then
    return "end"
  end
  return 1
end
local function helper(a)
  -- end
  local y = [[ function x ]]
  return a
end
M.other = function(self)
  a()
  return 3
end
return M
