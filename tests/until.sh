# Waiting, for the scripts that start clusters.

# until_true SECONDS COMMAND...: repeats the command until it succeeds; fails after so many seconds.
until_true() {
    local tries=$(($1 * 10))
    shift
    until "$@" >/dev/null 2>&1; do
        tries=$((tries - 1))
        [ $tries -gt 0 ] || return 1
        sleep 0.1
    done
}
