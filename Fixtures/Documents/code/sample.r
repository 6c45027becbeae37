# Fills a barrel.
fill <- function(barrel, amount) {
  text <- "}"
  barrel + amount
}

size = function(x) {
  x
}
