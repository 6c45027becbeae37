package org.example.barrels

import scala.collection.mutable

/** A volume of water. */
final case class Volume(litres: Double) extends AnyVal with Ordered[Volume] {
  def compare(that: Volume): Int = {
    litres.compareTo(that.litres)
  }

  def +(that: Volume): Volume =
    Volume(
      litres + that.litres)
}

object Volume {
  val Empty: Volume = Volume(0)

  implicit def fromInt(litres: Int): Volume = {
    Volume(litres.toDouble)
  }
}

sealed trait Event
case class Rain(amount: Volume) extends Event
case object Overflow extends Event

trait Store[F[_], A <: Event] {
  type Result
  def append(event: A): F[Unit]

  def all(): Seq[A] = {
    // A brace in a comment: }
    Seq.empty
  }
}

abstract class Tank(val capacity: Volume)(implicit listener: Event => Unit)
    extends Serializable
    with AutoCloseable {
  private[this] val log = mutable.Buffer.empty[String]

  override def close(): Unit = {
    log.clear()
  }

  protected def drain[T](amount: Volume)(body: => T): T = {
    log += s"drain ${amount.litres} {"
    body
  }
}

object Barrels extends App {
  lazy val tanks: Map[String, Tank] = Map(
    "oak" -> new Tank(Volume(200))(_ => ()) {
      override def toString: String = "oak"
    }
  )

  def total(volumes: Seq[Volume]): Volume = volumes match {
    case Nil => Volume.Empty
    case head +: rest => head + total(rest)
  }

  implicit class Words(text: String) {
    def words: Seq[String] = {
      text.split(" ").toSeq
    }
  }
}
