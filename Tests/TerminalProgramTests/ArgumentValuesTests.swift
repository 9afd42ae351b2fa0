import TerminalProgram
import Testing

@Suite struct ArgumentValuesTests {
  private func parsed(_ option: String, _ value: String) -> ParsedArguments {
    ParsedArguments(command: "get", values: [option: [value]], operands: [])
  }

  @Test(
    arguments: [
      ("0", 0), ("12", 12), ("5k", 5_000), ("5KB", 5_000), ("2Mi", 2 << 20), ("3G", 3_000_000_000),
      ("1TiB", 1 << 40), ("9223372036854775807", .max),
    ] as [(String, Int64)])
  func `a number of bytes may have a unit`(text: String, count: Int64) throws {
    #expect(ParsedArguments.byteCount(text) == count)
    #expect(try parsed("max-size", text).byteCount("max-size") == count)
  }

  @Test(arguments: ["", "k", "-1", "1.5M", "9999999999T", "9223372036854775808", "5 k", "٣", "5kk", "5b b"])
  func `another number of bytes is a usage error that names the option`(text: String) {
    #expect(
      throws: UsageError("--max-size must be a number of bytes such as 500k, 10M or 2Gi, not “\(text)”.")
    ) { try parsed("max-size", text).byteCount("max-size") }
  }

  @Test func `a number of seconds is positive and finite`() throws {
    #expect(try parsed("timeout", "0.5").seconds("timeout") == 0.5)
    for text in ["0", "-1", "nan", "inf", "x", "1e9", ""] {
      #expect(throws: UsageError("--timeout must be a number of seconds, not “\(text)”.")) {
        try parsed("timeout", text).seconds("timeout")
      }
    }
  }

  @Test func `an integer is inside its range`() throws {
    for number in 1...3 {
      #expect(try parsed("retries", "\(number)").integer("retries", in: 1...3, default: 2) == number)
    }
    for text in ["0", "4", "", "x", "1.0", " 1", "99999999999999999999"] {
      #expect(throws: UsageError("--retries must be a number from 1 to 3, not “\(text)”.")) {
        try parsed("retries", text).integer("retries", in: 1...3, default: 2)
      }
    }
  }

  @Test func `an option that is not given has no value or its default`() throws {
    let none = ParsedArguments(command: "get", values: [:], operands: [])
    #expect(try none.integer("retries", in: 1...3, default: 2) == 2)
    #expect(try none.seconds("timeout") == nil)
    #expect(try none.byteCount("max-size") == nil)
    #expect(!none.has("quiet") && none.value("output") == nil && none.all("header").isEmpty)
  }
}
