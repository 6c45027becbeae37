library(stats)

maximum <- 1000

#' Creates a barrel.
barrel <- function(capacity = maximum, content = 0) {
  stopifnot(capacity > 0)
  structure(list(capacity = capacity, content = content), class = "barrel")
}

print.barrel <- function(x, ...) {
  cat("barrel {", x$content, "\n")
  invisible(x)
}

fill = function(x,
                amount,
                log = function(text) message(text)) {
  x$content <- min(x$capacity, x$content + amount)
  log("filled }")
  x
}

`%+%` <- function(left, right) {
  left$content <- left$content + right$content
  left
}

setClass("Gauge", representation(
  name = "character",
  value = "numeric"
))

setMethod("show", "Gauge", function(object) {
  cat(object@name, "\n")
  cat(object@value, "\n")
})

average <- function(values)
  sum(values) /
    length(values)

Tank <- R6::R6Class("Tank",
  public = list(
    drain = function(amount) {
      private$content <- private$content - amount
      invisible(self)
    }
  )
)
