module Garden

#= function fake() =#
struct Barrel
    litres::Int
end

function fill(b::Barrel, amount)
    for i in 1:amount
        println("end")
    end
    return b
end

end
