-module(barrel).
-export([fill/2]).

%% Fills it.
fill(Barrel, 0) ->
    Barrel;
fill(Barrel, Litres) ->
    "text. fake(",
    Barrel + Litres.

size(Barrel) ->
    Barrel.
