%% Barrels for rain water.
-module(barrels).
-behaviour(gen_server).

-export([start_link/0, fill/2]).
-export([init/1, handle_call/3]).

-include_lib("kernel/include/logger.hrl").

-define(MAXIMUM, 1000).

-record(barrel, {
    capacity = ?MAXIMUM :: number(),
    content = 0 :: number()
}).

-type event() ::
    {rain, number()}
    | overflow.

%% @doc Starts the server.
-spec start_link() -> {ok, pid()}.
start_link() ->
    gen_server:start_link(
        {local, ?MODULE}, ?MODULE, [], []).

fill(Pid, Amount) when Amount > 0 ->
    gen_server:call(Pid, {fill, Amount});
fill(_Pid, _Amount) ->
    {error, "invalid. amount"}.

init([]) ->
    Barrel = #barrel{},
    {ok, Barrel}.

handle_call({fill, Amount}, _From, #barrel{content = Content} = State) ->
    New = State#barrel{content = Content + Amount},
    {reply, ok, New};
handle_call(read, _From, State) ->
    Text = $.,
    {reply, {Text, State#barrel.content}, State}.

average([]) ->
    0;
average(Values) ->
    lists:sum(Values) / length(Values).

loop(State) ->
    receive
        {From, Message} ->
            From ! Message,
            loop(State);
        stop ->
            ok
    end.
