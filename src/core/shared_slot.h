// A value that threads may look at and replace: each takes a part in it and keeps what it took, whoever puts another one there.
#pragma once
#include <memory>
#include <mutex>

namespace sinew {

template <class T> struct SharedSlot {
    std::mutex guard;
    std::shared_ptr<const T> value; // null = nothing yet
};
template <class T> std::shared_ptr<const T> take(SharedSlot<T>& s) {
    const std::lock_guard lock(s.guard);
    return s.value;
}
template <class T> void put(std::shared_ptr<const T> value, SharedSlot<T>& s) {
    const std::lock_guard lock(s.guard);
    s.value.swap(value); // what was there is let go of outside
}

} // namespace sinew
