defmodule Garden.Barrel do
  @moduledoc """
  def fake do
  """

  @doc "Fills it."
  def fill(barrel, litres) do
    if litres > 0 do
      barrel
    else
      nil
    end
  end

  defp helper(x), do: x
end
