import Foundation
import RoostModel

extension Count {
    /// Returns a number with commas between groups of three digits.
    static func grouped(_ number: Int) -> String {
        number.formatted(.number.locale(Locale(identifier: "en_US")).grouping(.automatic))
    }
}
