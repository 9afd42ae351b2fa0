#if !canImport(Darwin)
import Foundation

extension URLRequest {
  /// All header fields that were set, by name; `nil` if none was set.
  ///
  /// Setting it replaces all of them. Fields that the session adds itself, such as `Host` and `Cookie`, are not
  /// included. For invalid values, see ``setValue(_:forHTTPHeaderField:)``.
  public var allHTTPHeaderFields: [String: String]? {
    get { fields.headerFields?.dictionary() }
    set {
      guard let newValue else {
        fields.headerFields = nil
        return
      }
      var replacement = HeaderFields()
      // A dictionary has no order. Sorting makes the same dictionary always produce the same bytes.
      for (name, value) in newValue.sorted(by: { $0.key < $1.key }) {
        replacement.set(value, for: name)
      }
      fields.headerFields = replacement
    }
  }

  /// Returns the value of a header field, ignoring the case of its name; `nil` if it was not set.
  public func value(forHTTPHeaderField field: String) -> String? {
    fields.headerFields?[field]
  }

  /// Sets a header field, or removes it.
  ///
  /// A value that contains CR, LF or NUL could inject further fields. Loading a request with such a value fails with
  /// `URLError.badURL`, and the message contains the field's name. (Apple's platforms ignore such a value silently.)
  ///
  /// - Parameters:
  ///   - value: the new value, which replaces any earlier one; `nil` removes the field.
  ///   - field: the name, in any case.
  public mutating func setValue(_ value: String?, forHTTPHeaderField field: String) {
    guard let value else {
      fields.headerFields?.remove(field)
      return
    }
    headerFields.set(value, for: field)
  }

  /// Adds a value to a header field. If the field already has a value, the two are joined with a comma.
  ///
  /// For invalid values, see ``setValue(_:forHTTPHeaderField:)``.
  ///
  /// - Parameters:
  ///   - value: the value to add.
  ///   - field: the name, in any case.
  public mutating func addValue(_ value: String, forHTTPHeaderField field: String) {
    let earlier = self.value(forHTTPHeaderField: field)
    headerFields.set(earlier.map { $0 + "," + value } ?? value, for: field)
  }

  /// The fields in the order in which they are sent.
  package var headerFields: HeaderFields {
    get { fields.headerFields ?? HeaderFields() }
    _modify {
      var taken = fields.headerFields ?? HeaderFields()
      fields.headerFields = nil
      defer { fields.headerFields = taken }
      yield &taken
    }
  }
}
#endif
