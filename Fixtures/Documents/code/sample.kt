package x
data class P(val a: Int)
class Q(private val z: String) : R() {
    val lazyValue by lazy {
        3
    }
    fun String.shout(): String =
        this.uppercase() + "${z}}"
    companion object {
        fun make() = Q("a")
        fun other(): Q {
            val a = 1
            return make()
        }
    }
}
