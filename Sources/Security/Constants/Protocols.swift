// swift-format-ignore-file: AlwaysUseLowerCamelCase
public import Foundation

// The protocols of internet passwords.

/// FTP.
@safe
public nonisolated(unsafe) let kSecAttrProtocolFTP: CFString = "ftp " as NSString
/// An FTP account.
@safe
public nonisolated(unsafe) let kSecAttrProtocolFTPAccount: CFString = "ftpa" as NSString
/// HTTP.
@safe
public nonisolated(unsafe) let kSecAttrProtocolHTTP: CFString = "http" as NSString
/// IRC.
@safe
public nonisolated(unsafe) let kSecAttrProtocolIRC: CFString = "irc " as NSString
/// NNTP.
@safe
public nonisolated(unsafe) let kSecAttrProtocolNNTP: CFString = "nntp" as NSString
/// POP3.
@safe
public nonisolated(unsafe) let kSecAttrProtocolPOP3: CFString = "pop3" as NSString
/// SMTP.
@safe
public nonisolated(unsafe) let kSecAttrProtocolSMTP: CFString = "smtp" as NSString
/// SOCKS.
@safe
public nonisolated(unsafe) let kSecAttrProtocolSOCKS: CFString = "sox " as NSString
/// IMAP.
@safe
public nonisolated(unsafe) let kSecAttrProtocolIMAP: CFString = "imap" as NSString
/// LDAP.
@safe
public nonisolated(unsafe) let kSecAttrProtocolLDAP: CFString = "ldap" as NSString
/// AppleTalk.
@safe
public nonisolated(unsafe) let kSecAttrProtocolAppleTalk: CFString = "atlk" as NSString
/// AFP.
@safe
public nonisolated(unsafe) let kSecAttrProtocolAFP: CFString = "afp " as NSString
/// Telnet.
@safe
public nonisolated(unsafe) let kSecAttrProtocolTelnet: CFString = "teln" as NSString
/// SSH.
@safe
public nonisolated(unsafe) let kSecAttrProtocolSSH: CFString = "ssh " as NSString
/// FTP over TLS.
@safe
public nonisolated(unsafe) let kSecAttrProtocolFTPS: CFString = "ftps" as NSString
/// HTTP over TLS.
@safe
public nonisolated(unsafe) let kSecAttrProtocolHTTPS: CFString = "htps" as NSString
/// A proxy for HTTP.
@safe
public nonisolated(unsafe) let kSecAttrProtocolHTTPProxy: CFString = "htpx" as NSString
/// A proxy for HTTP over TLS.
@safe
public nonisolated(unsafe) let kSecAttrProtocolHTTPSProxy: CFString = "htsx" as NSString
/// A proxy for FTP.
@safe
public nonisolated(unsafe) let kSecAttrProtocolFTPProxy: CFString = "ftpx" as NSString
/// SMB.
@safe
public nonisolated(unsafe) let kSecAttrProtocolSMB: CFString = "smb " as NSString
/// RTSP.
@safe
public nonisolated(unsafe) let kSecAttrProtocolRTSP: CFString = "rtsp" as NSString
/// A proxy for RTSP.
@safe
public nonisolated(unsafe) let kSecAttrProtocolRTSPProxy: CFString = "rtsx" as NSString
/// DAAP.
@safe
public nonisolated(unsafe) let kSecAttrProtocolDAAP: CFString = "daap" as NSString
/// Remote Apple events.
@safe
public nonisolated(unsafe) let kSecAttrProtocolEPPC: CFString = "eppc" as NSString
/// IPP.
@safe
public nonisolated(unsafe) let kSecAttrProtocolIPP: CFString = "ipp " as NSString
/// NNTP over TLS.
@safe
public nonisolated(unsafe) let kSecAttrProtocolNNTPS: CFString = "ntps" as NSString
/// LDAP over TLS.
@safe
public nonisolated(unsafe) let kSecAttrProtocolLDAPS: CFString = "ldps" as NSString
/// Telnet over TLS.
@safe
public nonisolated(unsafe) let kSecAttrProtocolTelnetS: CFString = "tels" as NSString
/// IMAP over TLS.
@safe
public nonisolated(unsafe) let kSecAttrProtocolIMAPS: CFString = "imps" as NSString
/// IRC over TLS.
@safe
public nonisolated(unsafe) let kSecAttrProtocolIRCS: CFString = "ircs" as NSString
/// POP3 over TLS.
@safe
public nonisolated(unsafe) let kSecAttrProtocolPOP3S: CFString = "pops" as NSString
