import Foundation

/// The price of a product, as a page states it for programs.
struct ProductPrice: Sendable, Hashable {
    /// The amount, in units of the currency.
    var amount: Double
    /// The currency as a code of ISO 4217, such as `EUR`; `nil` if it is unknown.
    var currency: String?

    /// Reads the offers of a product in JSON-LD: one offer, several, or a range of prices, of which the
    /// lowest counts; `nil` if they state no price.
    init?(offers: Any?) {
        let offers = (offers as? [Any]) ?? [offers as Any]
        let prices = offers.prefix(Self.maximumOffers).compactMap { offer -> ProductPrice? in
            guard let offer = offer as? [String: Any] else { return nil }
            let part = (offer["priceSpecification"] as? [Any])?.first ?? offer["priceSpecification"]
            let specification = part as? [String: Any]
            let amount = offer["price"] ?? offer["lowPrice"] ?? specification?["price"]
            let currency = offer["priceCurrency"] ?? specification?["priceCurrency"]
            let text = (amount as? String) ?? (amount as? NSNumber)?.stringValue
            return ProductPrice(amount: text, currency: currency as? String)
        }
        guard let lowest = prices.min(by: { $0.amount < $1.amount }) else { return nil }
        self = lowest
    }

    /// Reads the price in the values of elements `meta`, by their names; `nil` if they state none.
    init?(_ meta: [String: String]) {
        self.init(
            amount: meta["product:price:amount"] ?? meta["og:price:amount"],
            currency: meta["product:price:currency"] ?? meta["og:price:currency"])
    }

    /// Reads the elements with the properties `price` and `priceCurrency` in the microdata of a page; `nil`
    /// if there is no price or if there are several.
    init?(_ tree: HTMLTree) {
        func values(_ property: String) -> Set<String> {
            Set(
                tree.nodes.indices.lazy.filter { tree.nodes[$0].attribute("itemprop") == property }
                    .prefix(Self.maximumOffers)
                    .map { tree.nodes[$0].attribute("content") ?? tree.text(of: $0) })
        }
        let (amounts, currencies) = (values("price"), values("priceCurrency"))
        guard amounts.count == 1 else { return nil }
        self.init(amount: amounts.first, currency: currencies.count == 1 ? currencies.first : nil)
    }

    /// The maximum number of offers that are compared.
    private static let maximumOffers = 100

    private init?(amount: String?, currency: String?) {
        guard let amount = amount?.trimmed, amount.utf8.count <= 20,
            amount.utf8.allSatisfy({ $0.isASCIIDigit || $0 == UInt8(ascii: ".") }), let value = Double(amount)
        else { return nil }
        self.amount = value
        let code = currency?.trimmed.uppercased() ?? ""
        self.currency = code.utf8.count == 3 && code.utf8.allSatisfy(\.isASCIILetter) ? code : nil
    }
}
