defmodule Barrels do
  @moduledoc """
  Barrels for rain water.

  def not_a_function do
  """

  use GenServer
  alias __MODULE__.Barrel

  @maximum 1000

  defmodule Barrel do
    @enforce_keys [:capacity]
    defstruct [:capacity, content: 0]

    @type t :: %__MODULE__{capacity: number, content: number}
  end

  defprotocol Container do
    @doc "Returns the size."
    def size(container)
  end

  defimpl Container, for: Barrel do
    def size(barrel) do
      barrel.capacity
    end
  end

  @doc "Starts the server."
  @spec start_link(keyword) :: GenServer.on_start()
  def start_link(options \\ []) do
    GenServer.start_link(__MODULE__, options)
  end

  @impl true
  def handle_call({:fill, amount}, _from, state) when amount > 0 do
    state = Map.update!(state, :content, &(&1 + amount))
    {:reply, :ok, state}
  end

  def handle_call(:read, _from, state) do
    text = "#{state.content} end"
    {:reply, text, state}
  end

  defp average([]), do: 0

  defp average(values),
    do: Enum.sum(values) / length(values)

  defmacro measured(do: block) do
    quote do
      unquote(block)
    end
  end

  defguard is_amount(value)
           when is_number(value) and
                  value > 0

  def pipeline(values) do
    values
    |> Enum.map(fn value ->
      value * 2
    end)
    |> Enum.sum()
  end
end

defmodule BarrelsTest do
  use ExUnit.Case

  describe "fill" do
    test "adds water", %{barrel: barrel} do
      assert barrel.content == 0
    end
  end
end
