local M = {}

local Barrel = {}
Barrel.__index = Barrel

-- Creates a barrel.
function Barrel.new(capacity)
  local self = setmetatable({}, Barrel)
  self.capacity = capacity or 1000
  return self
end

function Barrel:fill(amount)
  if amount > 0 then
    self.content = (self.content or 0) + amount
  end
end

local function sum(values)
  local total = 0
  for _, value in ipairs(values) do
    total = total + value
  end
  return total
end

local average = function(values)
  local text = [[
function not_a_function()
]]
  return sum(values) / #values, text
end

M.report = function(barrel)
  --[[ A comment
  function neither() end
  ]]
  return string.format("%d", barrel.content)
end

M.handlers = {
  rain = function(event)
    return event.amount
  end,
  overflow = function()
    return 0
  end,
}

function M.each(list, body)
  repeat
    body(table.remove(list))
  until #list == 0
end

return M, average
