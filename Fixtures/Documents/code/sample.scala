package garden

class Barrel(val litres: Int) extends Base {
  def fill(amount: Int): Int = {
    val x = "}"
    litres + amount
  }

  def size =
    litres *
      2
}

object Barrel {
  def apply(litres: Int): Barrel = {
    new Barrel(litres)
  }
}
