// Files of the viewer's page, and names of this machine.
#include "view_page.h"
#include "output/samples.h"

using namespace sinew;

TEST(view_page, names_of_this_machine) {
    for (const char* host : {"127.0.0.1", "127.0.0.1:8017", "localhost", "localhost:80", "[::1]", "[::1]:8017"})
        EXPECT_TRUE(is_loopback_host(host)) << host;
    for (const char* host : {"", "evil.example", "127.0.0.1.evil.example", "localhost.evil.example", "127.0.0.1:80.evil", "127.0.0.2", "10.0.0.1",
                             "[::1].evil", "127.0.0.1@evil.example", "evil@127.0.0.1"})
        EXPECT_FALSE(is_loopback_host(host)) << host;
    EXPECT_TRUE(is_loopback_origin("http://127.0.0.1:8017"));
    EXPECT_TRUE(is_loopback_origin("https://localhost"));
    for (const char* origin : {"", "null", "file://", "127.0.0.1", "http://evil.example", "http://127.0.0.1.evil.example", "ftp://localhost"})
        EXPECT_FALSE(is_loopback_origin(origin)) << origin;
}

TEST(view_page, nothing_outside_of_the_folder_is_read) {
    const TemporaryFolder folder;
    write_text_file(folder.path("outside.txt"), "no");
    std::filesystem::create_directories(folder.path("page/assets"));
    write_text_file(folder.path("page/index.html"), "yes");
    write_text_file(folder.path("page/assets/a.js"), "script");
    write_text_file(folder.path("page/.hidden"), "no");
    const std::string page = folder.path("page");
    EXPECT_EQ(find_page(page), page);
    EXPECT_EQ(find_page(folder.path("")), "");
    EXPECT_EQ(read_page(page, "/").body, "yes");
    EXPECT_EQ(read_page(page, "/index.html?x#y").body, "yes");
    EXPECT_EQ(read_page(page, "/assets/a.js").type, "text/javascript; charset=utf-8");
    for (const char* target : {"", "index.html", "/../outside.txt", "/assets/../../outside.txt", "/.hidden", "/%2e%2e/outside.txt", "//etc/passwd",
                               "/assets", "/assets/", "/none", "/a\\b", "http://x/"}) {
        const PageFile f = read_page(page, target);
        EXPECT_TRUE(f.status == 400 || f.status == 404) << target << " " << f.status;
        EXPECT_NE(f.body, "no");
    }
    EXPECT_NE(read_page("", "/").body.find("npm run build"), std::string::npos);
}
