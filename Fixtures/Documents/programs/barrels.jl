module Barrels

using Statistics

export Barrel, fill!

const MAXIMUM = 1000.0

abstract type Container end

"""
A barrel for rain water.
"""
mutable struct Barrel{T<:Real} <: Container
    capacity::T
    content::T

    function Barrel{T}(capacity) where {T}
        new{T}(capacity, zero(T))
    end
end

struct Rain
    amount::Float64
    hours::Int
end

@enum Material begin
    oak
    steel
end

Base.@kwdef struct Options
    name::String = "end"
    size::Int = 1
end

function fill!(barrel::Barrel, amount; log = println)
    barrel.content += amount
    for line in ("a", "b")
        log(line)
    end
    return barrel
end

area(radius) = pi * radius^2

function Base.show(io::IO, barrel::Barrel)
    print(io, """
    function not_a_function
    """)
end

Base.:+(a::Rain, b::Rain) =
    Rain(a.amount + b.amount,
        a.hours + b.hours)

macro measured(expression)
    quote
        local start = time()
        $(esc(expression))
    end
end

const handlers = Dict(
    "rain" => event -> event.amount,
    "overflow" => _ -> 0,
)

@inline function total(values::AbstractVector{T})::T where {T<:Number}
    sum(values)
end

module Gauges
    read(barrel) = barrel.content

    function describe(barrel)
        string(barrel)
    end
end

end
