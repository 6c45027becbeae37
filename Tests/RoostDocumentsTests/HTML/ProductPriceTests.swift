import Foundation
import RoostModel
import Testing

@testable import RoostDocuments

@Suite struct ProductPriceTests {
    private static func price(_ head: String, body: String = "") async throws -> [String: MetadataValue] {
        let html = "<html><head>\(head)</head><body><p>A lamp for reading.</p>\(body)</body></html>"
        let metadata = try await HTMLReaderTests.read(html).metadata
        return metadata.filter { ["price", "currency"].contains($0.key) }
    }

    private static func data(_ offers: String) -> String {
        "<script type='application/ld+json'>{\"@type\": \"Product\", \"offers\": \(offers)}</script>"
    }

    @Test(arguments: [
        #"{"price": "49.90", "priceCurrency": "EUR"}"#, #"{"price": 49.9, "priceCurrency": "eur"}"#,
        #"[{"price": 60, "priceCurrency": "EUR"}, {"price": 49.9, "priceCurrency": "EUR"}]"#,
        #"{"lowPrice": "49.90", "highPrice": "80", "priceCurrency": "EUR"}"#,
        #"{"priceSpecification": [{"price": 49.9, "priceCurrency": "EUR"}]}"#,
    ])
    func `The price of a product is read from its offers`(offers: String) async throws {
        #expect(try await Self.price(Self.data(offers)) == ["price": .number(49.9), "currency": "EUR"])
    }

    @Test func `Other statements of a price are read`() async throws {
        let expected: [String: MetadataValue] = ["price": .number(49.9), "currency": "EUR"]
        let meta =
            "<meta property='product:price:amount' content='49.90'>"
            + "<meta property='product:price:currency' content='EUR'>"
        #expect(try await Self.price(meta) == expected)
        let body = "<b itemprop='price' content='49.90'>49,90</b><i itemprop='priceCurrency'>EUR</i>"
        #expect(try await Self.price("", body: body) == expected)
        #expect(try await Self.price("", body: body + "<b itemprop='price'>12.00</b>").isEmpty)
    }

    @Test(arguments: [
        #"{"price": "from 49.90"}"#, #"{"price": "1,299.00"}"#, "[]", "null", #"{"price": null}"#,
    ])
    func `A price that is not a number is omitted`(offers: String) async throws {
        #expect(try await Self.price(Self.data(offers)).isEmpty)
    }

    @Test func `A page with several products has no price`() async throws {
        let one = Self.data(#"{"price": 1, "priceCurrency": "USD"}"#)
        #expect(try await Self.price(one + Self.data(#"{"price": 2}"#)).isEmpty)
        #expect(try await Self.price(one + one) == ["price": .number(1), "currency": "USD"])
    }
}
