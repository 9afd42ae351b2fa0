#if !canImport(Darwin)
  import Foundation

  extension URLRequest {
    /// Every header field that was set, by name; `nil` as long as none was.
    ///
    /// Setting it replaces all of them. Fields that the session adds on its own (`Host`, `Cookie`…) do not show here.
    /// For values that cannot be sent see ``setValue(_:forHTTPHeaderField:)``.
    public var allHTTPHeaderFields: [String: String]? {
      get { fields.headerFields?.dictionary() }
      set {
        guard let newValue else {
          fields.headerFields = nil
          return
        }
        var replacement = HeaderFields()
        // A dictionary has no order of its own: sorted, the same dictionary always gives the same bytes.
        for (name, value) in newValue.sorted(by: { $0.key < $1.key }) {
          replacement.set(value, for: name)
        }
        fields.headerFields = replacement
      }
    }

    /// The value of a header field, whatever the case of its name; `nil` when it was not set.
    public func value(forHTTPHeaderField field: String) -> String? {
      fields.headerFields?[field]
    }

    /// Sets a header field, or removes it.
    ///
    /// A value that holds CR, LF or NUL could smuggle in further fields: loading a request with one fails with
    /// `URLError.badURL` and names the field. (Apple's platforms drop such a value without a word.)
    ///
    /// - Parameters:
    ///   - value: the new value, which replaces any earlier one; `nil` removes the field.
    ///   - field: the name; its case does not matter.
    public mutating func setValue(_ value: String?, forHTTPHeaderField field: String) {
      guard let value else {
        fields.headerFields?.remove(field)
        return
      }
      headerFields.set(value, for: field)
    }

    /// Adds to a header field: to an earlier value the new one is joined with a comma.
    ///
    /// For values that cannot be sent see ``setValue(_:forHTTPHeaderField:)``.
    ///
    /// - Parameters:
    ///   - value: what to add.
    ///   - field: the name; its case does not matter.
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
