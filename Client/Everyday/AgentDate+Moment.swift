package import KSAgent
package import KSBytes

extension AgentDate {
    /// The same, for people and programs to read.
    package var moment: Moment { Moment(secondsSince2001: secondsSince2001) }
}
