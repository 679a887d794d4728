/// Keys and certificates made by openssl(1) 3.0 for these tests alone; they protect nothing.
///
/// Encrypted ones have the passphrase "geheim".
package enum KeyFixtures {
    /// For ``p256``: C=DE, O=Example Org, OU=Unit, CN=Ada Lovelace.
    package static let certificate = """
        -----BEGIN CERTIFICATE-----
        MIICQjCCAemgAwIBAgIHAPoRIjNEVTAKBggqhkjOPQQDAjBpMQswCQYDVQQGEwJE
        RTEUMBIGA1UECgwLRXhhbXBsZSBPcmcxDTALBgNVBAsMBFVuaXQxFTATBgNVBAMM
        DEFkYSBMb3ZlbGFjZTEeMBwGCSqGSIb3DQEJARYPYWRhQGV4YW1wbGUub3JnMB4X
        DTI2MTEyMTIzMzgzMVoXDTM2MTExODIzMzgzMVowaTELMAkGA1UEBhMCREUxFDAS
        BgNVBAoMC0V4YW1wbGUgT3JnMQ0wCwYDVQQLDARVbml0MRUwEwYDVQQDDAxBZGEg
        TG92ZWxhY2UxHjAcBgkqhkiG9w0BCQEWD2FkYUBleGFtcGxlLm9yZzBZMBMGByqG
        SM49AgEGCCqGSM49AwEHA0IABBI1Om5IStQ1GRjZ93YmM5jednVM6VBr9FqlvJRI
        BCvBmPYx3VtZXiFm4oDEOTLaSpp2+T3FNWlK7WgmjfBr1PWjfDB6MB0GA1UdDgQW
        BBSVVQyaK8soBC28FX9M6GpAKb6/ezAfBgNVHSMEGDAWgBSVVQyaK8soBC28FX9M
        6GpAKb6/ezAPBgNVHRMBAf8EBTADAQH/MCcGA1UdEQQgMB6BD2FkYUBleGFtcGxl
        LmNvbYILZXhhbXBsZS5vcmcwCgYIKoZIzj0EAwIDRwAwRAIgVftkjDt9KnC2Qucw
        sFrKfUIrGcRwtCQzFpkwAfAmmVECIGKj9UkyEcskF91Izc7lw0py68s8+aPvs6VK
        IdymX/Xz
        -----END CERTIFICATE-----
        """

    /// For ``rsa``: O=Only Org, without extensions.
    package static let rsaCertificate = """
        -----BEGIN CERTIFICATE-----
        MIIB0DCCATmgAwIBAgIBBzANBgkqhkiG9w0BAQsFADATMREwDwYDVQQKDAhPbmx5
        IE9yZzAeFw0yNjExMjEyMzM4MzFaFw0zNjExMTgyMzM4MzFaMBMxETAPBgNVBAoM
        CE9ubHkgT3JnMIGfMA0GCSqGSIb3DQEBAQUAA4GNADCBiQKBgQDgLnJE2WmD2QWX
        gI0U28J92w3E1SmnixEa0geDPPki/dNE+WydNC3O0uyDvkqwUOZlUJnEkzYBS8Uv
        j94s6YuABDXO+hyJe6s4TZjqdrC4LZXNJqdpHFVITzG9LQ1fuaGjq0YM/D4eVNkD
        yJ6bCTsgIMgA9YETnkgl5qgPMU91owIDAQABozQwMjAfBgNVHSMEGDAWgBToIbMF
        7DM5tp+0GzvaGDT0Bpa/wDAPBgNVHRMBAf8EBTADAQH/MA0GCSqGSIb3DQEBCwUA
        A4GBAMvsWyH7mQP9+XnFubUgDAiTiwNFTxmLDYAN+jLZGbSzp+NTsGbSY8i3BWf7
        MScu/LlRjvcQuvzBA8Gjll4/dmnaFUUz3HDHtDiU5TMlCR/UppwUYrb5OoZsCX7+
        lQ18JlO+Nf2GUcvztIL6YdHHFACvt+9MDVtyqt8+4ffUjeBa
        -----END CERTIFICATE-----
        """

    /// SEC 1.
    package static let p256 = """
        -----BEGIN EC PRIVATE KEY-----
        MHcCAQEEIKKNk4awFvu5Eh7rtuaDDZBWq33MxEeOZJkeFJn+appBoAoGCCqGSM49
        AwEHoUQDQgAEEjU6bkhK1DUZGNn3diYzmN52dUzpUGv0WqW8lEgEK8GY9jHdW1le
        IWbigMQ5MtpKmnb5PcU1aUrtaCaN8GvU9Q==
        -----END EC PRIVATE KEY-----
        """

    /// The same key.
    package static let p256PKCS8 = """
        -----BEGIN PRIVATE KEY-----
        MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgoo2ThrAW+7kSHuu2
        5oMNkFarfczER45kmR4Umf5qmkGhRANCAAQSNTpuSErUNRkY2fd2JjOY3nZ1TOlQ
        a/RapbyUSAQrwZj2Md1bWV4hZuKAxDky2kqadvk9xTVpSu1oJo3wa9T1
        -----END PRIVATE KEY-----
        """

    /// The same key, under PBES2.
    package static let p256PKCS8Encrypted = """
        -----BEGIN ENCRYPTED PRIVATE KEY-----
        MIHsMFcGCSqGSIb3DQEFDTBKMCkGCSqGSIb3DQEFDDAcBAimDvS+7PZI6gICCAAw
        DAYIKoZIhvcNAgkFADAdBglghkgBZQMEASoEEBPQD2rAQnNJaqYO39F+ckUEgZCp
        xs8jRYO7ueybpBi7rnK8nRoUzg1gXgDBuk9NPBUKYuz66Yj3EuMxsH30xujfQe+M
        J7oA7j8yXvpdrahGhx83G0bCnM8elAHmlkAw5wStOFGCDz/07JdNjNUth7zuEUpx
        4x3b3ztKO+rsnUnNaP0pVoF3HL9NCMp2oa2zr8+6P+AIRddkCIiFSczS+HSeMC8=
        -----END ENCRYPTED PRIVATE KEY-----
        """

    /// The same key, under PBES1 with 3DES.
    package static let p256PKCS8EncryptedOld = """
        -----BEGIN ENCRYPTED PRIVATE KEY-----
        MIGxMBwGCiqGSIb3DQEMAQMwDgQItKs9fzrHzrUCAggABIGQZT84a7dpFTqex09m
        uv/n1k6lXLkESipMjVzp3eDw5mJhQyPl42QF69ILf02qxKU3wkmgg7V7wDg/OGNU
        +wDDK97uFHsR95mo6KHLRr79I9F/yyCVkFD/sy/NvGmG0mw9hzAfcwP80QzqhvXN
        cmN3xoh+EF8GhtKUIkxqlug+XJKJ51IXaVALowmsGNZycu+K
        -----END ENCRYPTED PRIVATE KEY-----
        """

    /// SEC 1.
    package static let p384 = """
        -----BEGIN EC PRIVATE KEY-----
        MIGkAgEBBDB+QO/7ZCdhPTQ5wlJ1EPhXpNW7jq57xj3jgiFCk5JMmZ3e+sSB0SN0
        cxagzDbtlbKgBwYFK4EEACKhZANiAASEshw0bN3/fQ3l3Ze5zI0ft+Hq4NamswHy
        OsYh3YTrsA+p0BHETDJXzoxir/W1phRj3To6IjZwZOj41c7tDv47DxqxGgXT7J8i
        RA2H4IOVTeTaS8pYHZ8ZZrS62YjnJ7Y=
        -----END EC PRIVATE KEY-----
        """

    /// A curve that keychain items do not have.
    package static let secp256k1 = """
        -----BEGIN EC PRIVATE KEY-----
        MHQCAQEEIOuTDK3Lc9ez8o+bljvdIF8BZjCD4VE0Sq/54197sDQ8oAcGBSuBBAAK
        oUQDQgAExXa3Y9/Bc5wliDu7XjYcKowgr5x+b72hMUoaXsU7q0ocExjmrDc6kbXE
        g4+RHWg07i/F1acEUJ6WRnFeHZJzVg==
        -----END EC PRIVATE KEY-----
        """

    /// 1024 bits, PKCS#8.
    package static let rsa = """
        -----BEGIN PRIVATE KEY-----
        MIICdgIBADANBgkqhkiG9w0BAQEFAASCAmAwggJcAgEAAoGBAOAuckTZaYPZBZeA
        jRTbwn3bDcTVKaeLERrSB4M8+SL900T5bJ00Lc7S7IO+SrBQ5mVQmcSTNgFLxS+P
        3izpi4AENc76HIl7qzhNmOp2sLgtlc0mp2kcVUhPMb0tDV+5oaOrRgz8Ph5U2QPI
        npsJOyAgyAD1gROeSCXmqA8xT3WjAgMBAAECgYBbkX0pNCjOKwoGrQJzX6QcpioE
        mREPl1UgQGPDLleQ/F6cUMkVmSeQ0ES9Ny/ovtKs1XRJf9vSQbHEUJ5ud+J7XsIq
        bWVGxMd1xweZTMlSWQ1WHAibDMZ3VyLKGoBMu1TjkL0xXmHk92eZ0kIZZ3THMKww
        mcyB2Gb1dSdZFOhhoQJBAPyWMPozyqOVTrbSGG+o4S9Jdg35il9rnZdo3TDaB90P
        9jf8HlfA3cQAxU2JVw4OZq8gI/QzWJG8Q1p4Bi9Y9bMCQQDjNf0e1IR9AKXd1oK5
        kk45mm6+LzQO3YU25hkdENYq6k036Z6BkjYtXKBt8aBZBvZZK4c47qzDJmQXTBnp
        w2hRAkAWgwhQdGc+FyOR1b3JzeJsBX8ZFcGIaZ39DaKRJQ2IXVDTgovtxEm/m1X6
        aCAzJ4NtXk72B9GAA6h5GrNqauJTAkAhIFb2Lr/eRcDpFgRbL/SNu3FX8yPg4vUw
        Kt4Qecrv2NdHRp1ggMO7W1zcirT5JeW23HzLlSjFDwzaxLKmfWHxAkEApn9yxBSC
        QtDGbchhLlH7Al9EJaMijddqkvLpjz9TTH0dfthr5woK7KiljaKiSEFDMMtSxT5x
        aT1tGIfg9dXPVQ==
        -----END PRIVATE KEY-----
        """

    /// The same key.
    package static let rsaPKCS1 = """
        -----BEGIN RSA PRIVATE KEY-----
        MIICXAIBAAKBgQDgLnJE2WmD2QWXgI0U28J92w3E1SmnixEa0geDPPki/dNE+Wyd
        NC3O0uyDvkqwUOZlUJnEkzYBS8Uvj94s6YuABDXO+hyJe6s4TZjqdrC4LZXNJqdp
        HFVITzG9LQ1fuaGjq0YM/D4eVNkDyJ6bCTsgIMgA9YETnkgl5qgPMU91owIDAQAB
        AoGAW5F9KTQozisKBq0Cc1+kHKYqBJkRD5dVIEBjwy5XkPxenFDJFZknkNBEvTcv
        6L7SrNV0SX/b0kGxxFCebnfie17CKm1lRsTHdccHmUzJUlkNVhwImwzGd1ciyhqA
        TLtU45C9MV5h5PdnmdJCGWd0xzCsMJnMgdhm9XUnWRToYaECQQD8ljD6M8qjlU62
        0hhvqOEvSXYN+Ypfa52XaN0w2gfdD/Y3/B5XwN3EAMVNiVcODmavICP0M1iRvENa
        eAYvWPWzAkEA4zX9HtSEfQCl3daCuZJOOZpuvi80Dt2FNuYZHRDWKupNN+megZI2
        LVygbfGgWQb2WSuHOO6swyZkF0wZ6cNoUQJAFoMIUHRnPhcjkdW9yc3ibAV/GRXB
        iGmd/Q2ikSUNiF1Q04KL7cRJv5tV+mggMyeDbV5O9gfRgAOoeRqzamriUwJAISBW
        9i6/3kXA6RYEWy/0jbtxV/Mj4OL1MCreEHnK79jXR0adYIDDu1tc3Iq0+SXlttx8
        y5UoxQ8M2sSypn1h8QJBAKZ/csQUgkLQxm3IYS5R+wJfRCWjIo3XapLy6Y8/U0x9
        HX7Ya+cKCuyopY2iokhBQzDLUsU+cWk9bRiH4PXVz1U=
        -----END RSA PRIVATE KEY-----
        """

    /// The same key.
    package static let rsaPKCS1Encrypted = """
        -----BEGIN RSA PRIVATE KEY-----
        Proc-Type: 4,ENCRYPTED
        DEK-Info: AES-128-CBC,F982AF7273E1DC5B29CAEBF1A041AC7C

        cGCykXpg0SdkqH1+RALZ0LRSwyCZBLVwHDIfO8DhMvgqMCam7p+oatqJTSYeYlfD
        PJ1Qjp5oTbcXSXq9+J5SwcnNRBY39ztMWKGbEU0dOgwa3EA4l7RxwzbvSDo0JTLR
        gQEYeMEZSkY6bj1SQ8evnladIy8yEh5+gFMfouW08f21S4isv+ekyvMNqmfJmoBr
        nQqud0PwF3cjPAx0gv60cDCqWFvIg5NI+K1vDZnkcPxKVUZZ4J5NIKIbyQA+p0e5
        yGzDVSPoBnmW3VNOz1oNwbUDhLnBP0OuQoCcCB9xaEw18hgNyla8Iw4FfNIufein
        iscSd5B6yOM+xE0s0vgYdqTlIvr+mjRKIFJK8gUENVMKdezizL9xE6luc/Z2M+Cv
        p5tUkUtnlZkeNS7H3reDPftJIPjjJoeta66zjpd7QUwn6z6nq51cRNFCSz9cTiVH
        QC1XPyGl5J+BHYKLUHzm23fUNnDWr4Z3TAxHYvFIwDqyv6pUMHfPeULexT3dko6L
        2CZ1a3uaGQP/wb+72kFa+vdcB/eQXiJ5lJTDaZBwPPXp/PKPi138Xqh8ILbINiiv
        0JWfKpz1lAXTz2MpCYlpp45RXBIFCG/sSKgXXOBkW51Tt6y0rAt7tmFcgeAtrnGj
        TAnJrSMr1vzcUBpxUaDxJCulIxE0FoZt5ilEgEyckKSQyR5EgpawPYaIZJmhvcLb
        RsudGERO0GsCbozTQw11e2jsL39yMpIzUT4jEmeqb5bYE9Jb/k8nLfgVHBLR7hUU
        Z6n+Dq4xJ9G2P1+RIruZhPFgzx6XyLtahhLNdS6dd9L+64X0nJK8MydkWXI1YKhf
        -----END RSA PRIVATE KEY-----
        """

    /// PKCS#8.
    package static let ed25519 = """
        -----BEGIN PRIVATE KEY-----
        MC4CAQAwBQYDK2VwBCIEIKhxocAteBNxuzZHoxzIJFfBSEtqqC1ZgTCQZOMx/oih
        -----END PRIVATE KEY-----
        """

    /// PKCS#12 of ``p256`` and its certificate, in base64.
    package static let bundle = """
        MIIEzAIBAzCCBIIGCSqGSIb3DQEHAaCCBHMEggRvMIIEazCCAyIGCSqGSIb3DQEHBqCCAxMwggMP
        AgEAMIIDCAYJKoZIhvcNAQcBMFcGCSqGSIb3DQEFDTBKMCkGCSqGSIb3DQEFDDAcBAg6JeoK+Mvj
        xAICCAAwDAYIKoZIhvcNAgkFADAdBglghkgBZQMEASoEEIocLJVf3Foutqr5GM5TxmqAggKgVmb6
        fiVpRmr0dgXAeb8rnlZCxVFuRjAJ89xPFH76ZRnOyOSmHgwhXhnrRv68CJ4GhzGUPbfFPcwhLMZU
        Uz3/I8lbR7xsMU4c5mnjfNUXJO4/1XuRUL9urzQiJXLgiB9NHFoB6JbwBIwM417vFmMF+fLK1Iwk
        4wrXmGaLbHXQMFFfb/049cGvJsr17P2QKm7celNLyOMvoUfipiI2iByzFC0JGmmtQ9ql2lJMCuiV
        lBf8ecmzO9uks1XQtQrfXPKMEsUvpekiW8MqBhdbHqtxQ6AC5vlnJKpn/FSBugBmbR6avxbQKKsH
        QbnoP2e7qnhK9EA1nfNYdExI+hvTTlNZTzRLF06g8bwxe1cw/sSESz1Hupaxx/b3yXlDtOC5hTOK
        8fxppyROOrQkLNTnyHEnpsIiQRXHe/MQBVEqv+AuzjApavCxljl/K+zZNs9FMCHLS0SNhC9eo4uN
        L0pS+IldU9htO0jeXgFGRbhmB5MH+sW8XDjTCGzwv0KDotk79Xcs/zrKGPPBpdJBkXziI4ujWVhV
        8oMUUmKles22MQGPMtIDN/918nf82drgavFiGlqnyVWeyQQIIZVVsFN6l0r+05scpAObTye72Zh+
        5G91//aMkPGBKlspjbNdAHpuUZ8Wt+9NoUhqsfXGjJI7pJ9j4SbFO7qDc1R056BxJTZl+BF2D1n1
        ij8pNs0D5BlQvSnmTE5aIXm2y2x6nPytGucyp7dNUvZV1IF1oHvfKf3F4fuBAbxtnqSVoFBtar60
        QT8Kl9K1bk3qzapMZhLwQTl//cvwRGwuP3OpCjzOVdyfnY/TlBpgaDussD50XNVGciyrgyfWfiys
        emsGjhdwoa1trG4EMrEEmBuBDZZ3lAlBvIB4YD7+io5SSLbwT/qE3CeVMIIBQQYJKoZIhvcNAQcB
        oIIBMgSCAS4wggEqMIIBJgYLKoZIhvcNAQwKAQKgge8wgewwVwYJKoZIhvcNAQUNMEowKQYJKoZI
        hvcNAQUMMBwECLSQ+xdajwi3AgIIADAMBggqhkiG9w0CCQUAMB0GCWCGSAFlAwQBKgQQEwchiQkE
        1x7rbR1iAlE+3QSBkNQwLDCFoQMwZaEvTo8qlyRGHilznYMl4doYu9FHDjSDUhxMhFTGttLUvT2S
        zisTQV65I48H6JmFOWbPdZotMNWmAfp59JMSp54qZxmSH+iQeJEHbG39SSS2KXGfRhU1X2L1BouN
        E6Xa3+PbReqRXTmrLFPKAP7wXA5E0LckBIK0Z1+7eIMRinBGW3wjgvJoZzElMCMGCSqGSIb3DQEJ
        FTEWBBSVvAngsynM3ojIk1i2O3U4EJi6BjBBMDEwDQYJYIZIAWUDBAIBBQAEIKCXt6uC74IoPxex
        VFGsT5frDMd28oO2fDuZp4FbU+5/BAgswZYkc8X4bQICCAA=
        """

    /// PKCS#12 of ``rsa``, its certificate and ``certificate``, under RC2 and 3DES, in base64.
    package static let oldBundle = """
        MIIIOQIBAzCCB/8GCSqGSIb3DQEHAaCCB/AEggfsMIIH6DCCBOcGCSqGSIb3DQEHBqCCBNgwggTU
        AgEAMIIEzQYJKoZIhvcNAQcBMBwGCiqGSIb3DQEMAQYwDgQIDZJHbFPQYA4CAggAgIIEoOSHmmYt
        c0Ih70u6cHsgwGkNteiCE57s2oW6ZVYP0HoAW4Ff+PxzIQ6mppTAHGSakOuR4+965glxMMHa20mS
        e5saJosSoJXNnCB5cCfqD+rXtIBwAdJH09FPasKAUrUUQ1mnqzDpNNjfwvufH7hB5wwFBdLr8txV
        tLVocnimkM0w18tehI7Qm4XNaBIGGbijMhLB4bjhgwyBi+cYhY10qKtB6R6H1tuNLXPnA0I0brSR
        k56w21/1zamrGrOzghU7F5PxuB+31F2U+dfO6TxDTdGIIgAye6NVe3i463oD4a7RBiS2FzPnwLpF
        1qwdIC7CadC2XMIrtlcILuxcJvUOReZkhMgq3tkTz4og0kzYiV/AgSLroRyMsM+jkCUA/A/5KfkW
        URo1qnRMe+ky23jOxuUQOTmnXB0jxj9l9V9mm4a9S11z6SR0EjopnUkhk2rJ4WJIRWsk0jaDq895
        NQBAnAhtQNc3lD854wkU58m0z2mAzGeo27iBI2VIU5ctFcm9Bl69gxiyGwSU6j8ymvKmxqQsj7w1
        jwu851HmTD3bRftFbb0pOa/PVTo4TL2kMOoFTkzaKuZaLA1HMeUIUxRqqzqm8oIhBVTMrj0PmsHP
        gVE9Ptu2kImqMSZaRVJucvERt74ZgGMmyJT3rvGa7zlUdJxx3crbCQcKXgRg03nnwV+EVWTYZ7If
        gRDr4tKD8jOhXaEvj6eiIeZBQ0G4RKeDJMkeeXKNCsFBs6VbJAJwtVFjKgxhOSbVYyZuobpce3q5
        U148mPmq3K5N2t88fdo2Id5yJtQgPQQE2a2Pmg3eE4j8prEufSGr1FSim7TdIOYRAk56l/HfAXg2
        SSvRlImlF8xgEh6EVOUrox6qPSHQ29ECLEouz3E37JykPOJITfXnLMlaHeqOfLmGmSpxvMZn9ml9
        B8CqewaY42efT3EcMHjaSY5DFDGY1J9CW8DNsvcGgCmFp7ny1cOCv/rkLhG+u825kBfisOl5doer
        QDWCOuMgdzgZ31r9zcQdSxutAh4S+fv54jnazrDkuv2qrcT5hAG73BQjzS6OFWVtFibtXTaNQtcl
        91WCh16kK9zg7mAmaIdlKqEDwb2ru9Mf7FUJJk8jT0oMNTbbGfTdniMHZpIr1AMhYof+27oIj731
        eiLT83xLM3cz/JQb/F9bzv5yWOAMV7trwCnKr0ixlO+4lOqmHD2R/z2esdkOiMYSGIo/4JnJwzrU
        p8Vj0gNv2NKWHIT/QOgBJI4qxlZTjAA30y6NDk9F1LzC35v/oqulrklXMBsqIiKU2eI5pYHFZUU9
        FTRDddx+tNq8eZ5Tp1s+Le5Xoc/bg56+lNwf884mi6b1t1Fk3I9mH5gCrSDgMQpu74fzcJeRSDAY
        PovYAMMAuRcO94x2pErU8Yh2H5Ekg+CFPCHoy8CgqZq80etzGec2LkecrcVmk9O1E/uNIzjPAvCU
        6SWJltgofZHsmiY/AK52wQmdMKeUDrII4gVEJWvmNFWQPAfB5DxO+dvlldjxDVsoXyEdUfmEUq1h
        izyKIbu8ElErd2FD8BejKxt6B5OmpkpMStjUeNQFd9A1EgeSGBFBMIIC+QYJKoZIhvcNAQcBoIIC
        6gSCAuYwggLiMIIC3gYLKoZIhvcNAQwKAQKgggKmMIICojAcBgoqhkiG9w0BDAEDMA4ECIlggwlV
        nosGAgIIAASCAoAi+ffxIidwHdAxtPIP8v4nH4nrRgCzD01ud7FnIkvhmRSNdHsm2sYNgwKne//D
        /K+ysSr/YxUIM8GlPRnDGwByK5di+ywcYaldSDXGyw3/AmHSECwv9CCsU+28exbM51Dl8gmJStf3
        yphmAzSyNp9OpY8oVGRy257jzwxYJSTReLLWSo9xYrTXJv7z5AVHSolePpbVSsvmRrHUY678Hs1o
        cEkBVp1RlinMm5bUDjjEeMfKA2EmmVoB2oERHzI+Kd0vjAmeQW9q8RykVNrSXa6c0TbpbBy5iUGy
        U+Jxg1kvCX6xsxUJIhY6+pbV2lLBVQu5ULs6LYtsJcbhIo0H+LHpGgFu8DhEnoxC1pLu54EfOZ4l
        yq8dOZPXCcNTrkXa8/51PeI1CMn6YgwnVurVHUhhC/luMs6OLVNsjEYLTdRtjCgbVndhp9m6l4WU
        N2syF+Z5/X0iQ6+6hEj8GGpS7b1xkicPeJwNyronQxRhnm3wWfZDYQunNsa7EfcgKrRA5BT+IydO
        nomU3Xz2IKmGpdGi9d9lpn2NSXKe+CNcuBgjsNpyM+xZsB/ci0YbtCybOc7fta8jYTzIWgqbzsy4
        NEM5d7O06w3I1u6P4wg7A4UZk1cdkoXNtNvCjKWhVilRndHYiZ9i0UIMPxL59CnPZfsPeoGiPaG9
        NY7VP358AvfkjdAC94hsKfoqIgxyWe6ekCd1CdwahdlfT2KvRXBJua0DxALjbsIiR5MJPQahyYDc
        qjHXBbIrEt/rJC74GBggAAp1fimbO9MCfPf3zf5DmYXzT9T+IxTtmknpR8LaIQ75PQWCRCihD+//
        RAIQ9x6Ehppj6DL2yCdlSATVB0WZiJM6MSUwIwYJKoZIhvcNAQkVMRYEFN1eQRrmxG0Dv2y5QgHU
        T9gsnsnfMDEwITAJBgUrDgMCGgUABBR6haVbZ5uadJ4WKz+aqqvs8EbEzAQIEaeZV9L7I/ECAggA
        """
}
