import HTTPSyntax

/// The header fields of a request or a response, in order.
///
/// Names are case-insensitive, and a name may occur several times. The fields can store any text. The server validates
/// them when it sends the response; see ``HTTPResponse``.
public struct HTTPFields: Sendable, Hashable {
  /// A name and its value.
  public struct Field: Sendable, Hashable {
    /// The name, in its original spelling.
    public var name: String
    /// The value, without surrounding whitespace.
    public var value: String

    /// Creates a field with this name and value.
    public init(name: String, value: String) {
      self.name = name
      self.value = value
    }
  }

  private var fields: [Field] = []

  /// Creates an empty collection of fields.
  public init() {}

  /// The value of the first field with this name. Setting a value replaces all fields with the name; nil removes them.
  public subscript(name: String) -> String? {
    get { fields.first { ASCII.equalIgnoringCase($0.name, name) }?.value }
    set {
      remove(name)
      if let newValue { append(name, newValue) }
    }
  }

  /// Returns the values of all fields with this name, in order.
  ///
  /// - Parameter name: The name, in any case.
  public func values(_ name: String) -> [String] {
    fields.compactMap { ASCII.equalIgnoringCase($0.name, name) ? $0.value : nil }
  }

  /// Returns the members of a comma-separated list, which may be spread over several fields.
  ///
  /// The result has no surrounding whitespace and no empty members. Do not use this function for fields whose members
  /// may contain commas, such as dates.
  ///
  /// - Parameter name: The name, in any case.
  public func listMembers(_ name: String) -> [String] {
    values(name).flatMap { ASCII.listMembers($0) }
  }

  /// Adds a field after all others.
  ///
  /// - Parameters:
  ///   - name: The name, a token such as `Content-Type`.
  ///   - value: The value, without line breaks.
  public mutating func append(_ name: String, _ value: String) {
    fields.append(Field(name: name, value: value))
  }

  /// Removes all fields with this name.
  ///
  /// - Parameter name: The name, in any case.
  public mutating func remove(_ name: String) {
    fields.removeAll { ASCII.equalIgnoringCase($0.name, name) }
  }

  mutating func reserveCapacity(_ count: Int) { fields.reserveCapacity(count) }
}

extension HTTPFields: RandomAccessCollection {
  /// The first position.
  public var startIndex: Int { fields.startIndex }
  /// The position after the last.
  public var endIndex: Int { fields.endIndex }
  /// The field at a position.
  public subscript(position: Int) -> Field { fields[position] }
}

extension HTTPFields: ExpressibleByDictionaryLiteral {
  /// Creates fields in the given order; a name may occur several times.
  ///
  /// - Parameter elements: The names and values.
  public init(dictionaryLiteral elements: (String, String)...) {
    for (name, value) in elements { append(name, value) }
  }
}

extension HTTPFields.Field {
  /// The reason why this field cannot be sent; nil if it can be sent.
  var validationError: String? {
    if !ASCII.isToken(name) { return "The header field name \(name.debugDescription) is not a token." }
    let hasControl = value.utf8.contains { $0 < 0x20 && $0 != 0x09 || $0 == 0x7F }
    return hasControl
      ? "The value of the header field \(name) contains a line break or a control character." : nil
  }
}
