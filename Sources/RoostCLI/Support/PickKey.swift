/// A key that has a meaning in `roost pick`.
enum PickKey: Equatable {
    case character(Character)
    case backspace, clear
    case up, down, pageUp, pageDown, first, last
    case accept, cancel
}
