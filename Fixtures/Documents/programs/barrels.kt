@file:JvmName("Barrels")

package org.example.barrels

import kotlin.math.max

/** A volume of water in litres. */
@JvmInline
value class Volume(val litres: Double) : Comparable<Volume> {
    init {
        require(litres >= 0) { "negative volume: $litres" }
    }

    override fun compareTo(other: Volume): Int =
        litres.compareTo(other.litres)

    operator fun plus(other: Volume): Volume {
        return Volume(litres + other.litres)
    }

    companion object {
        val EMPTY = Volume(0.0)

        @JvmStatic
        fun ofGallons(gallons: Double): Volume {
            return Volume(gallons * 3.785)
        }
    }
}

sealed interface Event {
    data class Rain(val amount: Volume, val hours: Int) : Event
    data class Watering(
        val amount: Volume,
        val bed: String,
    ) : Event

    object Overflow : Event
}

enum class Material(val density: Double) {
    OAK(0.7),
    STEEL(7.8) {
        override fun describe() = "steel { heavy }"
    };

    open fun describe(): String {
        return name.lowercase()
    }
}

class Barrel private constructor(
    private val capacity: Volume,
    private var content: Volume,
) {
    constructor(capacity: Volume) : this(capacity, Volume.EMPTY) {
        println("a new barrel")
    }

    val isFull: Boolean
        get() = content >= capacity

    fun apply(event: Event) = when (event) {
        is Event.Rain -> fill(event.amount)
        is Event.Watering -> drain(event.amount)
        Event.Overflow -> Unit
    }

    private fun fill(amount: Volume) {
        // A brace in a comment: {
        content = minOf(content + amount, capacity)
    }

    private inline fun <reified T : Any> drain(
        amount: Volume,
        crossinline log: (T) -> Unit = {},
    ) {
        content = Volume(max(0.0, content.litres - amount.litres))
    }

    inner class Gauge {
        fun read(): String {
            return "${content.litres} of ${capacity.litres}"
        }
    }
}

fun List<Barrel>.fullOnes(): List<Barrel> =
    filter { it.isFull }
        .sortedBy { it.hashCode() }

suspend fun <T> retry(
    times: Int,
    block: suspend () -> T,
): T where T : Any {
    repeat(times - 1) {
        try {
            return block()
        } catch (e: Exception) {
            println(e)
        }
    }
    return block()
}

typealias Listener = (Event) -> Unit
