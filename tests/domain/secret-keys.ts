// Keys of other services, for tests. They are put together here, so that nobody takes them for real ones.

/** Characters without a pattern. @param alphabet the characters to choose from */
function some(length: number, alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789'): string {
  let state = 42
  return Array.from({ length }, () => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648
    return alphabet[Math.floor(state / 65_536) % alphabet.length]
  }).join('')
}
const UPPER = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'
const LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const HEX = '0123456789abcdef'
const DIGITS = '0123456789'
const BASE64URL = `${LETTERS}${DIGITS}-_`

/** Keys of well-known vendors: the vendor, and a key in its format. */
//  vendor                       key
export const KEYS = [
  ['OpenAI, project', `sk-${'proj'}-${some(74, BASE64URL)}T3Blbk${'FJ'}${some(74, BASE64URL)}`],
  ['OpenAI, project without a mark', `sk-${'proj'}-${some(80, BASE64URL)}`],
  ['OpenAI, service account', `sk-${'svcacct'}-${some(58, BASE64URL)}T3Blbk${'FJ'}${some(58, BASE64URL)}`],
  ['OpenAI, user', `sk-${some(20)}T3Blbk${'FJ'}${some(20)}`],
  ['Anthropic', `sk-${'ant'}-api03-${some(93, BASE64URL)}AA`],
  ['Anthropic, admin', `sk-${'ant'}-admin01-${some(93, BASE64URL)}AA`],
  ['Anthropic, OAuth', `sk-${'ant'}-oat01-${some(95, BASE64URL)}`],
  ['Google', `AI${'za'}${some(35, BASE64URL)}`],
  ['Google, OAuth', `GOC${'SPX'}-${some(28, BASE64URL)}`],
  ['Hugging Face', `h${'f_'}${some(34, LETTERS)}`],
  ['Slack, bot', `xo${'xb'}-${some(12, DIGITS)}-${some(12, DIGITS)}-${some(24)}`],
  ['Slack, user', `xo${'xp'}-${some(12, DIGITS)}-${some(12, DIGITS)}-${some(12, DIGITS)}-${some(32)}`],
  ['Slack, app', `xa${'pp'}-1-${some(11, UPPER)}-${some(13, DIGITS)}-${some(64, HEX)}`],
  ['Slack, webhook', `https://hooks.sla${'ck.com'}/services/${some(44)}`],
  ['Stripe, secret', `sk_${'live'}_${some(24)}`],
  ['Stripe, restricted', `rk_${'live'}_${some(24)}`],
  ['GitLab', `gl${'pat'}-${some(20, BASE64URL)}`],
  ['GitLab, routable', `gl${'pat'}-${some(27, BASE64URL)}.01.${some(9, HEX)}`],
  ['AWS', `AK${'IA'}${some(16, UPPER)}`],
  ['AWS, temporary', `AS${'IA'}${some(16, UPPER)}`],
  ['a JSON Web Token', `ey${'J'}${some(33)}.ey${'J'}${some(60, BASE64URL)}.${some(43, BASE64URL)}`],
  ['PGP', `-----BEGIN ${'PGP'} PRIVATE KEY BLOCK-----`],
  ['OpenSSH', `-----BEGIN ${'OPENSSH'} PRIVATE KEY-----`],
  ['a password in a URL', `https://us${'er:pass'}@host.example`],
  ['a password of a database', `postgres://app:${some(12)}@db.internal:5432/app`],
  ['npm', `np${'m_'}${some(36)}`],
  ['PyPI', `py${'pi'}-AgEIcHlwaS5vcmc${some(70, BASE64URL)}`],
  ['GitHub, fine-grained', `github_${'pat'}_${some(82)}`],
  ['Twilio', `S${'K'}${some(32, HEX)}`],
  ['SendGrid', `S${'G.'}${some(22, BASE64URL)}.${some(43, BASE64URL)}`],
  ['Shopify', `shp${'at'}_${some(32, HEX)}`],
  ['DigitalOcean', `do${'p_v1'}_${some(64, HEX)}`],
  ['Azure storage', `DefaultEndpointsProtocol=https;Account${'Key'}=${some(86)}==`],
  ['Azure AD', `${some(3)}8Q${'~'}${some(34)}`],
  ['Discord', `M${some(25)}.${some(6)}.${some(38)}`],
  ['Telegram', `${some(10, DIGITS)}:A${'A'}${some(33, BASE64URL)}`],
  ['Databricks', `da${'pi'}${some(32, HEX)}`],
  ['HashiCorp Vault', `hv${'s.'}${some(95, BASE64URL)}`],
  ['HashiCorp Terraform', `${some(14)}.atlas${'v1'}.${some(65, BASE64URL)}`],
  ['Doppler', `dp.${'pt'}.${some(43)}`],
  ['Linear', `lin_${'api'}_${some(40)}`],
  ['Notion', `nt${'n_'}${some(11, DIGITS)}${some(35)}`],
  ['Postman', `PM${'AK'}-${some(24, HEX)}-${some(34, HEX)}`],
  ['Mailgun', `ke${'y-'}${some(32, HEX)}`],
  ['Docker', `dckr_${'pat'}_${some(27, BASE64URL)}`],
  ['Figma', `fi${'gd_'}${some(43, BASE64URL)}`],
  ['Groq', `gs${'k_'}${some(52)}`],
  ['Perplexity', `pp${'lx'}-${some(48)}`],
  ['Replicate', `r8${'_'}${some(37)}`],
  ['Tailscale', `ts${'key'}-auth-${some(17)}-${some(32)}`],
  ['xAI', `xa${'i-'}${some(80)}`],
] as const
