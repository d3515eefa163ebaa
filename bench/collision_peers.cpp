#include "collision_peers.h"

namespace sinew::bench {

std::unique_ptr<TreePeer> make_fcl_tree();
std::unique_ptr<TreePeer> make_bullet_tree();

std::span<const PeerEntry> tree_peers() {
    static const std::vector<PeerEntry> peers = {
#ifdef SINEW_HAVE_FCL
        {"FCL", make_fcl_tree},
#endif
#ifdef SINEW_HAVE_BULLET
        {"Bullet", make_bullet_tree},
#endif
    };
    return peers;
}

} // namespace sinew::bench
