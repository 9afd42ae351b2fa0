import HTTPSyntax

/// The header fields of a request or a response, in order.
///
/// Names are compared without regard to case; a name may stand several times. Any text can be stored; what cannot be
/// sent (a line break in a value, say) is found when the response is sent, see ``HTTPResponse``.
public struct HTTPFields: Sendable, Hashable {
  /// A name and its value.
  public struct Field: Sendable, Hashable {
    /// The name, as it was spelled.
    public var name: String
    /// The value, without white space around it.
    public var value: String

    /// A field with this name and value.
    public init(name: String, value: String) {
      self.name = name
      self.value = value
    }
  }

  private var fields: [Field] = []

  /// No fields.
  public init() {}

  /// The value of the first field of this name. Setting it replaces all fields of the name; nil removes them.
  public subscript(name: String) -> String? {
    get { fields.first { ASCII.equalIgnoringCase($0.name, name) }?.value }
    set {
      remove(name)
      if let newValue { append(name, newValue) }
    }
  }

  /// The values of all fields of this name, in order.
  ///
  /// - Parameter name: The name, in any case.
  public func values(_ name: String) -> [String] {
    fields.compactMap { ASCII.equalIgnoringCase($0.name, name) ? $0.value : nil }
  }

  /// The members of a comma-separated list that may be spread over several fields, without white space and empty
  /// members. Not for fields whose members may hold commas themselves, such as dates.
  ///
  /// - Parameter name: The name, in any case.
  public func listMembers(_ name: String) -> [String] {
    values(name).flatMap { ASCII.listMembers($0) }
  }

  /// Adds a field after all others.
  ///
  /// - Parameters:
  ///   - name: The name, a token such as `Content-Type`.
  ///   - value: The value; no line breaks.
  public mutating func append(_ name: String, _ value: String) {
    fields.append(Field(name: name, value: value))
  }

  /// Removes all fields of this name.
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
  /// Fields in the order they are written; a name may stand several times.
  ///
  /// - Parameter elements: The names and values.
  public init(dictionaryLiteral elements: (String, String)...) {
    for (name, value) in elements { append(name, value) }
  }
}

extension HTTPFields.Field {
  /// What keeps this field from being sent, as a sentence; nil when nothing does.
  var fault: String? {
    if !ASCII.isToken(name) { return "The header field name \(name.debugDescription) is not a token." }
    let hasControl = value.utf8.contains { $0 < 0x20 && $0 != 0x09 || $0 == 0x7F }
    return hasControl
      ? "The value of the header field \(name) holds a line break or a control character." : nil
  }
}
