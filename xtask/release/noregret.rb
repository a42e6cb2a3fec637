# The program as a formula of Homebrew on Linux. `make release` fills in the version and the hash; whoever publishes the archive adds its
# address.
class Noregret < Formula
  desc "Online learning with kernels: streams, experiments and their report"
  homepage "https://example.org/noregret"
  url "https://example.org/noregret/noregret-@VERSION@-@HOST@.tar.gz"
  sha256 "@SHA256@"
  license any_of: ["MIT", "Apache-2.0"]

  depends_on :linux

  def install
    bin.install "noregret"
    bash_completion.install "completions/noregret.bash" => "noregret"
    zsh_completion.install "completions/noregret.zsh" => "_noregret"
    fish_completion.install "completions/noregret.fish"
    man1.install Dir["man/man1/*.1"]
    doc.install "README.md", "CHANGELOG.md", "licences.txt", "noregret-@VERSION@.cdx.json", *Dir["docs/*"]
  end

  test do
    assert_equal "noregret #{version}", shell_output("#{bin}/noregret --version").strip
    (testpath/"data.csv").write("x,y\n" + (1..50).map { |t| "#{t % 7},#{(t % 7) * 2}\n" }.join)
    system bin/"noregret", "stream", "data.csv", "--target", "y", "--output", "rounds.csv"
    assert_path_exists testpath/"rounds.csv"
  end
end
