/// Certificates for one purpose each, made with openssl(1); valid from November 2026 on.
package enum PolicyFixtures {
    /// For TLS servers: www.example.com, *.wild.example.com and 192.0.2.7.
    package static let server = """
        -----BEGIN CERTIFICATE-----
        MIIB1TCCAXugAwIBAgIUOHKcxVttz4ZrTrmeJdr/rCtgk+EwCgYIKoZIzj0EAwIw
        GjEYMBYGA1UEAwwPd3d3LmV4YW1wbGUuY29tMCAXDTI2MTEyMjAzMjI1MloYDzIw
        NTEwNzE0MDMyMjUyWjAaMRgwFgYDVQQDDA93d3cuZXhhbXBsZS5jb20wWTATBgcq
        hkjOPQIBBggqhkjOPQMBBwNCAASPB//CKJ3d+nTG71VmohK6rMudC1YaC3fTtCYH
        FHgjUDFgKEzbvqSl9k70BR3umUicGk/zKrUrh0UN9Cfw4Vjjo4GcMIGZMB0GA1Ud
        DgQWBBSs/1ePhBzRob5h68E/3ad4/019tzAfBgNVHSMEGDAWgBSs/1ePhBzRob5h
        68E/3ad4/019tzAMBgNVHRMBAf8EAjAAMBMGA1UdJQQMMAoGCCsGAQUFBwMBMDQG
        A1UdEQQtMCuCD3d3dy5leGFtcGxlLmNvbYISKi53aWxkLmV4YW1wbGUuY29thwTA
        AAIHMAoGCCqGSM49BAMCA0gAMEUCIARRtKf0bRQttqzugFkuvpx0nGdS0ygKmGE3
        yFrpHhv8AiEAoZSajB509XXJpHomhti0OJeCJlbmDImZXu3reKCDXHY=
        -----END CERTIFICATE-----
        """
    /// For code.
    package static let code = """
        -----BEGIN CERTIFICATE-----
        MIIBljCCAT2gAwIBAgIUVq0Pb+lsReiQR77JmvnG2MP4mX8wCgYIKoZIzj0EAwIw
        DzENMAsGA1UEAwwEQ29kZTAgFw0yNjExMjIwMzIyNTJaGA8yMDUxMDcxNDAzMjI1
        MlowDzENMAsGA1UEAwwEQ29kZTBZMBMGByqGSM49AgEGCCqGSM49AwEHA0IABGfh
        2qapM4t0ZTdCepa18nSKdgo2QbXYBrvIZEalYW1k4J6rnJ+EBxN3A9S7HrIC5sGW
        MOYa2d/xO6Y2szxTehijdTBzMB0GA1UdDgQWBBS067bhgLLJ5Zlp4mJX/dZonbWG
        0jAfBgNVHSMEGDAWgBS067bhgLLJ5Zlp4mJX/dZonbWG0jAMBgNVHRMBAf8EAjAA
        MBMGA1UdJQQMMAoGCCsGAQUFBwMDMA4GA1UdDwEB/wQEAwIHgDAKBggqhkjOPQQD
        AgNHADBEAiBdTFyf2H1SiI2mRMI+v9XmlRrN6Urrb09GWYapQP/WJgIgSTsiPewz
        j71cHyzuqz0BSiwvfmqMA96+uYpwp9AOXLQ=
        -----END CERTIFICATE-----
        """
    /// For mail of ada@example.com.
    package static let mail = """
        -----BEGIN CERTIFICATE-----
        MIIBozCCAUigAwIBAgIUKNu4rmDpbJdwGSg7aL7j1nlyyAIwCgYIKoZIzj0EAwIw
        DjEMMAoGA1UEAwwDQWRhMCAXDTI2MTEyMjAzMjI1MloYDzIwNTEwNzE0MDMyMjUy
        WjAOMQwwCgYDVQQDDANBZGEwWTATBgcqhkjOPQIBBggqhkjOPQMBBwNCAARJXBvv
        Wknj34WmjXm0oR51b0jps4m16xsWecQJNZ3yKZdj4OhoG47X8nTjBZNC8yxkLm5M
        8qi8TSu7JC5nzcpXo4GBMH8wHQYDVR0OBBYEFJTa7p2kPikNNPxtEcH8+fL7TmE1
        MB8GA1UdIwQYMBaAFJTa7p2kPikNNPxtEcH8+fL7TmE1MAwGA1UdEwEB/wQCMAAw
        EwYDVR0lBAwwCgYIKwYBBQUHAwQwGgYDVR0RBBMwEYEPYWRhQGV4YW1wbGUuY29t
        MAoGCCqGSM49BAMCA0kAMEYCIQD8t6LpN16Jkr/eOo4CSPJbsYpUIQFmtRNzWJz1
        Hfl81gIhALklAfHXRQkOf14wy0tryZ4Eq6GpZJ7nxeVxEQsvU7F+
        -----END CERTIFICATE-----
        """
}
